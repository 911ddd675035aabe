# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Approval and people on real physics."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.cli.main import main
from replan_agent.approve.adaptive import AdaptiveApprover
from replan_agent.approve.risk import PlanRisk
from replan_agent.arms.franka import PANDA
from replan_agent.domain.approval_request import Approval
from replan_agent.domain.plan import PlanCause
from replan_agent.domain.scene import Shape
from replan_agent.domain.task_result import FinalReason
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec


def item(name: str, x: float, y: float, size=(0.04, 0.04, 0.04), shape=Shape.BOX, **more):
    return ObjectSpec(name, shape, size, Colour.named(name.split('_')[0]), (x, y, None), **more)


RED = item('red_cube', 0.45, 0.15)
# A bowl that is large enough for the cube, but out of reach.
FAR_BOWL = ObjectSpec('bowl', Shape.BOWL, (0.16, 0.16, 0.055), Colour.named('white'),
                      (1.2, 0.0, None), mass=0.25)


def sim_of(*objects, approver: str = 'auto', approval=None, planner: str = 'search', **agent
           ) -> Simulation:
    config = load_config()
    config = replace(config, approver=approver, planner=planner,
                     agent=replace(config.agent, **agent),
                     approval=replace(config.approval, **approval or {}))
    return Simulation(SceneSpec('test', objects=objects), config=config)


def run(sim: Simulation, task: str, **more):
    return sim.agent(MemoryRecorder()).run(task, **more)


def truth(sim: Simulation, name: str):
    return next(o for o in sim.world.true_objects() if o.name == name)


STUCK = {'human_after': 2, 'local_planning': False, 'planner': 'stub', 'repeat_guard': False}


def test_a_held_cube_is_really_put_down_before_a_person_is_asked():
    sim = sim_of(RED, FAR_BOWL, human_held='put_down', **STUCK)
    result = run(sim, 'put the red cube in the bowl')
    assert result.final_reason is FinalReason.HUMAN_REQUIRED, result.final_detail
    assert 'still holding' not in result.final_detail
    assert result.plans[-1].adaptations[-1].cause is PlanCause.HUMAN
    assert result.steps[-1].step.skill == 'place_on'
    sim.world.step(round(0.5 / sim.world.timestep))
    assert truth(sim, 'red_cube').bottom_z == pytest.approx(0.0, abs=0.005)


def test_or_it_is_held_and_that_is_said():
    sim = sim_of(RED, FAR_BOWL, human_held='hold', **STUCK)
    result = run(sim, 'put the red cube in the bowl')
    assert result.final_detail.endswith('still holding red_cube')
    assert truth(sim, 'red_cube').bottom_z > 0.05


def test_the_threshold_lives_as_long_as_the_world():
    sim = sim_of(RED, item('blue_cube', 1.3, 0.0), approver='adaptive', max_replans=0,
                 local_planning=False)
    assert run(sim, 'pick up the blue cube').final_reason is FinalReason.REPLAN_EXHAUSTED
    result = run(sim, 'pick up the red cube')
    assert result.success and result.approvals[0].threshold == pytest.approx(0.4)


class Person:
    def __init__(self, says: bool) -> None:
        self.says = says
        self.asked = 0

    def approve(self, request, ctx) -> Approval:
        self.asked += 1
        return Approval(self.says, 'Ada')

    def report_outcome(self, success: bool) -> None:
        """Sees it."""


@pytest.mark.parametrize('says', [True, False])
def test_a_cube_in_a_persons_area_is_picked_only_when_a_person_says_so(says):
    sim = sim_of(RED, approval={'person_areas': ('desk 0.45 0.2 0.1 0.2 0.05 0.2',)})
    person = Person(says)
    risk = PlanRisk(sim.config, PANDA.home_tcp)
    sim.approver = AdaptiveApprover(risk, sim.config.approval, person)
    result = run(sim, 'pick up the red cube')
    assert (result.success, person.asked) == (says, 1)
    assert 'person area desk' in result.approvals[0].reasons[0]
    assert (sim.world.time > 0) == says


def test_without_a_terminal_a_risky_plan_is_denied(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path('my.yaml').write_text('approver: adaptive\napproval: {fragile: ["red_*"]}\n')
    assert main(['run', 'pick up the red cube', '--config', 'my.yaml', '--out', 'r']) == 1
    result = json.loads(Path('r/result.json').read_text())
    assert result['final_reason'] == 'approval_denied'
    assert result['approvals'][0]['risk'] == 0.5


def test_a_run_is_resumed_with_its_task_scene_and_attempts_in_a_new_world(
    tmp_path: Path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    main(['run', 'pick up the red cube', '--scene', 'far_cube', '--max-replans', '0', '--seed',
          '3', '--planner', 'stub', '--out', 'r'])  # search makes no plan against a proof
    capsys.readouterr()
    assert main(['run', '--resume', 'r', '--hint', 'push it nearer', '--max-replans', '0',
                 '--out', 's']) == 1
    assert 'starts again' in capsys.readouterr().err
    first, second = (json.loads(Path(f'{name}/result.json').read_text()) for name in 'rs')
    assert (second['task'], second['scene'], second['seed']) == (
        'pick up the red cube', 'far_cube', 3)
    assert second['attempts'][:1] == first['attempts']
    assert second['hints'] == ['push it nearer']
    assert second['plans'][0] == first['plans'][0]
    assert second['plans'][1]['context']['hints'] == ['push it nearer']
    assert second['plans'][1]['cause'] == 'human'


@pytest.mark.parametrize(('arguments', 'says'), [
    (['run'], '--resume RUN'),
    (['run', '--resume', 'nowhere'], 'nowhere: there is no such run'),
    (['run', 'something else', '--resume', 'r'], "continues 'pick up the red cube'"),
])
def test_what_cannot_be_resumed_exits_with_2(tmp_path: Path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    main(['run', 'pick up the red cube', '--scene', 'far_cube', '--max-replans', '0',
          '--out', 'r'])
    capsys.readouterr()
    assert main(arguments) == 2
    assert says in capsys.readouterr().err
