# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Watch a task: every event is an object with a kind and typed fields, in the order it happens.

    .venv/bin/python examples/watch_events.py
"""

from collections import Counter

from replan_agent import Event, Simulation, StepFinished, TaskResult


class Tally:
    """A watcher: counts what happens, and sums up at the end."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    def record(self, event: Event) -> None:
        self.seen[event.kind] += 1

    def finish(self, result: TaskResult) -> None:
        print(', '.join(f'{kind} {n}' for kind, n in self.seen.most_common(3)))


def tell(event: Event) -> None:
    """Called with each event while the arm works: keep it short."""
    if isinstance(event, StepFinished):
        print(event.step.call, 'ok' if event.result.success else event.result.reason_detail)
    elif event.kind in ('policy_decided', 'reflection_made', 'step_adapted', 'replan_started'):
        print('  ', event.kind, {key: value for key, value in event.as_dict().items()
                                 if isinstance(value, str) and value})


if __name__ == '__main__':
    simulation = Simulation('greasy_cube')  # it slips, and is held more firmly
    result = simulation.run('pick up the red cube', on_event=tell, watchers=[Tally()])
    print(result.success, result.final_reason)
