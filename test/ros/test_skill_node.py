# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The skill node without an arm: what it lists and refuses, and what it says about the driver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from rclpy.node import Node
from replan_agent_interfaces.action import ExecuteSkill
from replan_agent_interfaces.srv import ListSkills
from rig import finished, overrides
from stand_ins import SEEN
from std_srvs.srv import Trigger

from replan_agent.domain.plan import Step
from replan_agent.domain.skill import SkillSpec
from replan_agent.execute.skills.home import Home
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.ros.messages.call_messages import skill_call_to_msg
from replan_agent.ros.messages.message_table import from_msg
from replan_agent.ros.nodes.skill_node import SkillNode
from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient
from replan_agent.ros.rclpy_tools.node_process import Spinning, destroy

ROBOT_YAML = Path(__file__).resolve().parents[2] / 'config' / 'robot.yaml'
Result = ExecuteSkill.Result
PICK = Step(1, 'pick', {'object': 'red_cube'})


class SkillCaller(Node):
    def __init__(self, namespace: str = '') -> None:
        super().__init__('caller', namespace=namespace)
        self._skills = SteadyActionClient(self, ExecuteSkill, 'execute_skill')

    def execute(self, goal: ExecuteSkill.Goal) -> Any:
        assert self._skills.wait_for_server(10)
        return finished(finished(self._skills.send_goal_async(goal)).get_result_async())

    def ask(self, kind: Any, name: str) -> Any:
        client = self.create_client(kind, name)
        assert client.wait_for_service(10)
        return finished(client.call_async(kind.Request()))


@pytest.fixture(scope='module')
def caller(ros: Any) -> Iterator[SkillCaller]:
    yield from called('')


@pytest.fixture
def young(ros: Any) -> Iterator[SkillCaller]:
    """A node that nobody has stopped yet."""
    yield from called('young')


def called(namespace: str) -> Iterator[SkillCaller]:
    parameters = overrides(server_timeout=0.3, standstill_timeout=0.3, driver_silence=60.0)
    caller = SkillCaller(namespace)
    with Spinning([SkillNode(parameter_overrides=parameters, namespace=namespace), caller]):
        yield caller


def test_it_lists_the_skills(caller: SkillCaller) -> None:
    listed = tuple(map(partial(from_msg, SkillSpec), caller.ask(ListSkills, 'list_skills').skills))
    assert listed == standard_skills().specs()


class Odd(Home):
    """Its spec cannot be sent any more after something has changed it."""

    spec = replace(Home.spec, name='odd', arguments={'type': 'object', 'properties': {}})


def test_a_skill_that_cannot_be_sent_is_not_listed_and_the_others_are(
    ros: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = SkillNode(parameter_overrides=overrides())
    node._registry.add(Odd())
    monkeypatch.setitem(Odd.spec.arguments, 'examples', float('nan'))
    listed = node._list(ListSkills.Request(), ListSkills.Response()).skills
    assert tuple(map(partial(from_msg, SkillSpec), listed)) == standard_skills().specs()
    destroy(node)


@pytest.mark.parametrize(('driver', 'skills', 'added'), [
    ('sim', ['*'], True), ('sim', [], False), ('real', ['*'], False), ('real', ['nod'], True)])
def test_on_a_real_arm_an_installed_skill_must_be_named(
    ros: Any, small_plugin: Path, on_path: Any, driver: str, skills: list[str], added: bool
) -> None:
    on_path(small_plugin)
    node = SkillNode(cli_args=['--ros-args', '--params-file', str(ROBOT_YAML)],
                     parameter_overrides=overrides(safety__driver=driver, skills=skills))
    listed = node._list(ListSkills.Request(), ListSkills.Response()).skills
    assert ('nod' in [skill.name for skill in listed]) is added
    destroy(node)


def malformed(**changes: Any) -> ExecuteSkill.Goal:
    goal = skill_call_to_msg(PICK, SEEN)
    for name, value in changes.items():
        setattr(goal.step, name, value)
    return goal


@pytest.mark.parametrize(('goal', 'code', 'reason'), [
    (ExecuteSkill.Goal(), 'BAD_ARGUMENTS', 'malformed goal: step: skill must not be empty'),
    (malformed(args_json='{'), 'BAD_ARGUMENTS', 'malformed goal: step: args_json: not valid JSON'),
    (malformed(args_json='{}'), 'BAD_ARGUMENTS', "'object' is a required property"),
    (malformed(skill='juggle'), 'UNKNOWN_SKILL', "no skill named 'juggle'; there are: pick, "),
    (malformed(args_json='{"object": "unicorn"}'), 'OBJECT_NOT_FOUND', 'it sees: red_cube'),
    (malformed(), 'CONTROLLER_ABORTED', 'joint_states within 0.3 s'),
])
def test_an_impossible_step_is_aborted_with_the_reason(
    caller: SkillCaller, goal: ExecuteSkill.Goal, code: str, reason: str
) -> None:
    answer = caller.execute(goal)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code == getattr(Result, code)
    assert reason in answer.result.error_msg
    assert answer.result.result.reason == code.lower()
    assert answer.result.result.reason_detail == answer.result.error_msg


def test_after_a_stop_nothing_starts_and_an_arm_that_does_not_answer_is_not_released(
        young: SkillCaller) -> None:
    stopped = young.ask(Trigger, 'stop')
    assert not stopped.success, 'standstill is not confirmed'
    answer = young.execute(skill_call_to_msg(PICK, SEEN)).result
    assert answer.error_code == Result.STOPPED
    assert 'reset_stop' in answer.error_msg
    reset = young.ask(Trigger, 'reset_stop')
    assert not reset.success and 'no server of' in reset.message
    again = young.execute(skill_call_to_msg(PICK, SEEN)).result
    assert again.error_code == Result.STOPPED


def test_a_call_that_only_plans_is_answered_while_the_arm_is_stopped(young: SkillCaller) -> None:
    young.ask(Trigger, 'stop')
    wanted = skill_call_to_msg(Step(1, 'home'), SEEN)
    wanted.plan_only = True
    assert young.execute(wanted).result.result.success
    wanted.step.skill = 'juggle'
    assert young.execute(wanted).result.error_code == Result.UNKNOWN_SKILL
