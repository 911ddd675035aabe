# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stop a task in the middle, and go on later from its record: what is done is not done again.

    .venv/bin/python examples/resume.py runs/resumed
"""

import sys
from pathlib import Path

from replan_agent import CancelToken, Context, Event, Simulation, StepFinished, StoredRun

TASK = 'put the red cube in the bowl and the blue cube in the bin'
folder = Path(sys.argv[1] if len(sys.argv) > 1 else 'runs/resumed')
token = CancelToken()


def stop_after_two_steps(event: Event) -> None:
    if isinstance(event, StepFinished) and event.step.step_number == 2:
        token.cancel('somebody opened the door')


with Simulation('tabletop') as simulation:
    first = simulation.run(TASK, out=folder / 'first', on_event=stop_after_two_steps,
                           ctx=Context(cancel=token))
    print(first.final_reason, '-', first.final_detail)
    earlier = StoredRun.load(folder / 'first')  # its folder is enough, also in another process
    second = simulation.run(TASK, out=folder / 'second', resume=earlier.resume())
print(second.final_reason, [record.step.skill for record in second.steps])
