# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things that leave the hand after the grasp was verified: the verdict at the end says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from replan_agent_bench.worlds.judges import Held, Truth

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.domain import event as events
from replan_agent.domain.scene import Shape
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

GREASY, STUCK, SHOVE_N = 0.002, 1e6, -60.0  # friction, damping of a finger (N·s/m), downwards
NAME = 'red_thing'


@dataclass
class Fault(MemoryRecorder):
    """Does something to the world from outside, once, after a step was verified."""

    sim: Simulation
    act: Callable[[Simulation], None]
    done: bool = False
    events: list[events.Event] = field(default_factory=list)

    def record(self, event: events.Event) -> None:
        self.events.append(event)
        if isinstance(event, events.StepFinished) and event.result.success and not self.done:
            self.done = True
            self.act(self.sim)
            self.sim.world.step(round(1.5 / self.sim.world.timestep))


def greased(sim: Simulation) -> None:
    model = sim.world.model
    model.geom(NAME).friction[:] = (GREASY, 0.0, 0.0)
    model.geom(NAME).priority = 1


def torn_out_of_stuck_fingers(sim: Simulation) -> None:
    model, data = sim.world.model, sim.world.data
    greased(sim)
    for finger in (1, 2):
        joint = model.joint(sim.world.arm.frame(f'finger_joint{finger}'))
        model.dof_damping[int(joint.dofadr[0])] = STUCK
    data.body(NAME).xfrc_applied[2] = SHOVE_N
    sim.world.step(round(0.5 / sim.world.timestep))
    data.body(NAME).xfrc_applied[2] = 0.0


@pytest.mark.gl
@pytest.mark.parametrize('fault', [greased, torn_out_of_stuck_fingers])
@pytest.mark.parametrize('size', [(0.05, 0.0035, 0.06), (0.05, 0.02, 0.04)],
                         ids=['3.5 mm thin', '20 mm thick'])
def test_what_slips_out_after_the_grasp_was_verified_is_not_held(size, fault) -> None:
    it = ObjectSpec(NAME, Shape.BOX, size, Colour.named('red'), (0.5, 0.1, None), mass=0.05)
    config = load_config()
    config = replace(config, perception='camera',
                     agent=replace(config.agent, max_replans=0, max_step_retries=0))
    with Simulation(SceneSpec('slips', objects=(it,)), config=config) as sim:
        recorder = Fault(sim, fault)
        result = sim.agent(recorder).run('pick up the red thing')
        assert recorder.done and Held(NAME)(Truth(sim.world)), 'the fault did not work'
    assert not result.success, result.final_detail


def test_a_thing_of_any_shape_that_is_torn_out_right_after_the_lift_is_not_held() -> None:
    """A wedge of a thing turns between the pads for a moment, and then jumps out."""
    with Simulation('kitchen', perception='ground_truth') as sim:
        world, pulls = sim.world, []

        def pull() -> None:
            if world.time > pulls[0]:
                world.data.body('spanner').xfrc_applied[2] = -80.0

        def note(event: events.Event) -> None:
            if isinstance(event, events.PhaseStarted) and event.phase == 'lift' and not pulls:
                pulls.append(world.time + 0.9)  # the lift takes 0.6 s
                world.on_step(pull, world.timestep)

        result = sim.run('pick up the spanner', on_event=note)
        world.step(round(1.0 / world.timestep))
        assert pulls and Held('spanner')(Truth(world)), 'the fault did not work'
    assert not result.success, result.final_detail
