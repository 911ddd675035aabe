# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plans are tried in a twin of the perceived scene before the arm moves."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from replan_agent.app.build import wiring
from replan_agent.app.build.build_planner import MotionParts
from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.build.twin import NOMINAL_FRICTION, build_twin, nominal_mass
from replan_agent.app.terminal.console import ConsoleRecorder
from replan_agent.arms.franka import PANDA
from replan_agent.domain import event as events
from replan_agent.domain.approval_request import Approval
from replan_agent.domain.context import Context
from replan_agent.domain.failure import AttemptStage
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.scene import Shape
from replan_agent.domain.task_result import FinalReason
from replan_agent.motion.planner import JointPlanner
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

RED = ObjectSpec('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Colour.named('red'),
                 (0.45, 0.15, None), (0, 0, 0.4), mass=0.21, friction=1.1)
BOWL = ObjectSpec('bowl', Shape.BOWL, (0.16, 0.16, 0.055), Colour.named('white'),
                  (0.55, -0.25, None), mass=0.25)
FAR = ObjectSpec('blue_cube', Shape.BOX, (0.05, 0.05, 0.05), Colour.named('blue'),
                 (1.1, 0.0, None))
WALL = ObjectSpec('wall', Shape.WALL, (0.02, 0.5, 0.3), Colour.named('grey'), (0.7, 0.0, None),
                  fixed=True)


def sim_of(*objects: ObjectSpec, rehearse: bool = True, **agent):
    config = load_config()
    config = replace(config, agent=replace(config.agent, rehearse=rehearse, **agent))
    return Simulation(SceneSpec('test', objects=objects), config=config)


def rehearsals(recorder: MemoryRecorder) -> list[events.RehearsalFinished]:
    return [e for e in recorder.events if isinstance(e, events.RehearsalFinished)]


def test_a_plan_that_must_fail_is_caught_before_the_arm_moves() -> None:
    """The pick alone would succeed, so without the twin the arm would set out in vain."""
    sim, recorder = sim_of(RED, FAR, max_replans=1), MemoryRecorder()
    result = sim.agent(recorder).run('put the red cube on the blue cube')
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert result.final_detail.startswith('place_on failed: unreachable — in rehearsal: ')
    assert sim.world.time == 0.0 and not result.steps
    first = result.attempts[0]
    assert first.stage is AttemptStage.PLAN and first.evidence['rehearsed'] is True
    assert (first.step_idx, first.skill, first.ik is not None) == (1, 'place_on', True)
    assert [r.ok for r in rehearsals(recorder)] == [False]  # the same plan is not made again


def test_the_motion_planner_of_a_twin_is_closed_after_its_rehearsal(monkeypatch) -> None:
    made: list[JointPlanner] = []
    closed: list[JointPlanner] = []
    build = wiring.build_motion

    def built(parts: MotionParts) -> JointPlanner:
        made.append(build(parts))
        return made[-1]

    with sim_of(RED, BOWL) as sim:
        monkeypatch.setattr(wiring, 'build_motion', built)
        monkeypatch.setattr(JointPlanner, 'close', lambda planner: closed.append(planner))
        assert sim.agent(MemoryRecorder()).run('put the red cube in the bowl').success
        assert made and closed == made
        assert sim.motion not in closed


def test_without_rehearsal_and_guard_the_same_plan_moves_the_arm() -> None:
    sim = sim_of(RED, FAR, rehearse=False, repeat_guard=False, max_replans=0)
    sim.agent(MemoryRecorder()).run('put the red cube on the blue cube')
    assert sim.world.time > 0


def test_a_plan_that_passes_is_then_run() -> None:
    sim, recorder = sim_of(RED, BOWL), MemoryRecorder()
    result = sim.agent(recorder).run('put the red cube in the bowl')
    assert result.success, result.final_detail
    done, = rehearsals(recorder)
    assert done.ok and done.step is None
    assert result.timings['rehearse'] == pytest.approx(done.duration_s)
    kinds = [event.kind for event in recorder.events]
    assert kinds.index('plan_made') < kinds.index('rehearsal_finished') \
        < kinds.index('approval_decided') < kinds.index('step_started')


def test_the_twin_has_the_perceived_geometry_and_nominal_parameters() -> None:
    sim = sim_of(RED, BOWL, WALL)
    scene = sim.perception.observe(Context())
    twin = build_twin(scene, PANDA)
    for real, seen in zip(sim.world.true_objects(), twin.true_objects(), strict=True):
        assert (real.name, real.shape, real.size) == (seen.name, seen.shape, seen.size)
        assert real.pose.distance_to(seen.pose) < 0.001
    for item in (RED, BOWL):
        geom = twin.model.body(item.name).geomadr[0]
        mass = twin.model.body(item.name).subtreemass[0]
        assert mass == pytest.approx(nominal_mass(scene.get(item.name)))
        assert mass != pytest.approx(item.mass, rel=0.1)
        assert twin.model.geom_friction[geom, 0] == NOMINAL_FRICTION != item.friction
    assert twin.model.body('wall').dofnum[0] == 0


def test_what_friction_will_do_the_twin_cannot_know() -> None:
    slippery = replace(RED, friction=0.01)
    sim, recorder = sim_of(slippery, max_replans=0, max_step_retries=0), MemoryRecorder()
    result = sim.agent(recorder).run('pick up the red cube')
    assert rehearsals(recorder)[0].ok and not result.success and sim.world.time > 0


def test_a_task_that_begins_with_a_full_hand_is_rehearsed_with_a_full_hand() -> None:
    sim = sim_of(RED, BOWL)
    assert sim.agent(MemoryRecorder()).run('pick up the red cube').success
    scene = sim.perception.observe(Context())
    assert scene.held == 'red_cube'
    twin = build_twin(scene, PANDA)
    twin.step(round(1.0 / twin.timestep))  # only friction holds it
    held = next(o for o in twin.true_objects() if o.name == 'red_cube')
    assert held.pose.distance_to(scene.get('red_cube').pose) < 0.002
    assert MujocoRobot(twin).state().joints == pytest.approx(scene.arm.joints, abs=0.002)
    recorder = MemoryRecorder()
    result = sim.agent(recorder).run('put the red cube in the bowl')
    assert result.success and rehearsals(recorder)[0].ok, result.final_detail


def test_the_real_world_stands_still_while_the_twin_moves() -> None:
    sim = sim_of(RED, BOWL)
    before = sim.world.data.qpos.copy()
    agent = replace(sim.agent(MemoryRecorder()), approver=Denier())
    result = agent.run('put the red cube in the bowl')
    assert result.final_reason is FinalReason.APPROVAL_DENIED
    assert result.timings['rehearse'] > 0
    assert sim.world.time == 0.0 and (sim.world.data.qpos == before).all()


def test_a_scene_that_cannot_be_built_is_a_warning_and_not_a_failure() -> None:
    sim = sim_of(RED)
    scene = sim.perception.observe(Context())
    cube = scene.get('red_cube')
    with pytest.raises(RehearsalError, match='no twin of'):
        build_twin(replace(scene, objects=(cube, cube)), PANDA)  # two of one name


def test_the_console_shows_the_rehearsal() -> None:
    out = StringIO()
    sim = sim_of(RED, FAR, max_replans=0)
    console = Console(file=out, width=200)
    sim.agent(ConsoleRecorder(console)).run('put the red cube on the blue cube')
    line = next(x for x in out.getvalue().splitlines() if x.startswith('REHEARSE:'))
    assert 'place_on(' in line and 'unreachable — ' in line


class Denier:
    """A person who reads the plan and says no."""

    def approve(self, request, ctx):
        return Approval(False, 'denier', 'not today')

    def report_outcome(self, success):
        pass
