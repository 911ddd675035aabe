# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Somebody drags the cube away while the hand comes down. The arm feels it, looks, takes it there.

    .venv/bin/python examples/move_things.py

`simulation.world` is the MuJoCo world: `data` is its state, and you may change it at any time.
"""

from replan_agent import Event, Simulation, StepFinished

AWAY = (0.55, 0.15)  # m: 10 cm from where it stood


def drag(event: Event) -> None:
    """In the phase in which the hand goes down, once."""
    if event.kind == 'phase_started' and event.as_dict()['phase'] == 'descend' and not dragged:
        cube = simulation.world.data.joint('red_cube')
        cube.qpos[:2] = AWAY
        cube.qvel[:] = 0.0
        dragged.append(event)
        print('(the cube is dragged away)')
    if isinstance(event, StepFinished):
        print(event.step.call, 'ok' if event.result.success else event.result.reason_detail)


dragged: list[Event] = []
simulation = Simulation('tabletop')
result = simulation.run('pick up the red cube', on_event=drag)
print(result.success, result.final_reason, f'with {len(result.attempts)} failure')
