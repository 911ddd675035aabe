# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A package that is installed beside ours: its skill and its planner, in the nodes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from replan_agent_sim.all_in_one import all_nodes
from rig import overrides, spun
from stand_ins import StandInPerception, StandInSkills

from replan_agent.domain.config import ConfigError
from replan_agent.domain.task_result import TaskResult
from replan_agent.ros.messages.message_table import from_msg
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.nodes.skill_node import SkillNode

ROOT = Path(__file__).resolve().parents[2]
OnPath = Callable[[Path], None]


def test_its_planner_and_its_skill_carry_out_a_task(
    ros: Any, small_plugin: Path, on_path: OnPath
) -> None:
    on_path(small_plugin)
    parameters = overrides(use_sim_time=True, tasks__runs='', scene='pick_cube', planner='nodder')
    with spun(*all_nodes(parameter_overrides=parameters)) as caller:
        result = from_msg(TaskResult, caller.run('say yes').result)
    assert result.success, result.final_detail
    assert [record.step.call for record in result.steps] == ["nod({'times': 2})"]
    assert result.planner == 'nodder'


def test_a_goal_may_ask_for_its_planner(ros: Any, small_plugin: Path, on_path: OnPath) -> None:
    on_path(small_plugin)
    with spun(AgentNode(parameter_overrides=overrides()), PlannerNode(), StandInPerception(),
              StandInSkills()) as caller:
        # -1: no new plans. Several failed plans in a row would ask a person for a hint.
        result = from_msg(TaskResult, caller.run('say yes', planner='nodder', max_replans=-1
                                                 ).result)
        after = from_msg(TaskResult, caller.run('pick up the red cube', max_replans=-1).result)
    assert result.plans[0].planner == 'nodder'
    assert 'nod' in result.final_detail, 'the stand-in does not have the skill'
    assert after.plans[0].planner == 'search', 'a goal asks for itself only'


GIVEN = """
from replan_agent.perceive.ground_truth import GroundTruthPerception

class Given(GroundTruthPerception):
    name = 'gift'  # not the name of its entry point
    def __init__(self, parts):
        super().__init__(parts.truth(), parts.robot, parts.arm)
"""


def write_package(folder: Path, code: str, entry_points: str) -> None:
    """An installed package `giving` with these entry points."""
    about = folder / 'giving-1.dist-info'
    about.mkdir()
    (folder / 'giving.py').write_text(code, 'utf-8')
    (about / 'METADATA').write_text('Metadata-Version: 2.1\nName: giving\nVersion: 1\n')
    (about / 'entry_points.txt').write_text(entry_points)


@pytest.mark.release
def test_perception_node_uses_the_perception_of_a_package(
    ros: Any, tmp_path: Path, on_path: OnPath
) -> None:
    write_package(tmp_path, GIVEN, '[replan_agent.perceptions]\ngiven = giving:Given\n')
    on_path(tmp_path)
    parameters = overrides(use_sim_time=True, tasks__runs='', scene='pick_cube',
                           perception='given')
    with spun(*all_nodes(parameter_overrides=parameters)) as caller:
        result = from_msg(TaskResult, caller.run('pick up the red cube').result)
    assert result.success, result.final_detail
    assert result.perception == 'given'


PATHS = """
from replan_agent.motion.planner import joint_planner

asked = []

def planner(parts):
    planner = joint_planner(parts.config, parts.arm, parts.collision, parts.seed)
    to_joints = planner.to_joints
    def counted(*args):
        asked.append(args)
        return to_joints(*args)
    planner.to_joints = counted
    return planner
"""


@pytest.mark.release
def test_skill_node_plans_motions_with_the_planner_of_a_package(
    ros: Any, tmp_path: Path, on_path: OnPath
) -> None:
    write_package(tmp_path, PATHS, '[replan_agent.motion_planners]\nmine = giving:planner\n')
    on_path(tmp_path)
    parameters = overrides(use_sim_time=True, tasks__runs='', scene='pick_cube',
                           motion_planner='mine')
    with spun(*all_nodes(parameter_overrides=parameters)) as caller:
        result = from_msg(TaskResult, caller.run('pick up the red cube').result)
    assert result.success, result.final_detail
    assert sys.modules['giving'].asked, 'it was not asked for a motion'


def test_a_motion_planner_that_is_not_installed_lists_those_that_are(
    ros: Any, tmp_path: Path, on_path: OnPath
) -> None:
    write_package(tmp_path, PATHS, '[replan_agent.motion_planners]\nmine = giving:planner\n')
    on_path(tmp_path)
    with pytest.raises(ConfigError, match="'other' is not allowed; .*: builtin, moveit, mine"):
        SkillNode(parameter_overrides=overrides(motion_planner='other'))


def test_a_planner_that_is_not_installed_lists_those_that_are(
    ros: Any, small_plugin: Path, on_path: OnPath
) -> None:
    on_path(small_plugin)
    with pytest.raises(ConfigError,
                       match="'oracle' is not allowed; .*: search, stub, vlm,.* nodder"):
        PlannerNode(parameter_overrides=overrides(planner='oracle'))


def test_the_example_calls_the_action(ros: Any) -> None:
    parameters = overrides(use_sim_time=True, tasks__runs='', scene='pick_cube')
    with spun(*all_nodes(parameter_overrides=parameters)):
        ran = subprocess.run([sys.executable, ROOT / 'examples' / 'call_ros_action.py', 'go home'],
                             capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1].startswith(('True plan_complete', 'True already_done'))
    assert 'planning' in ran.stdout
