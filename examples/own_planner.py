# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planner of your own: it clears the table into the bowl, and learns from what failed.

    .venv/bin/python examples/own_planner.py
"""

from replan_agent import (
    Context,
    Event,
    Goal,
    PlanReply,
    PlanRequest,
    Predicate,
    ReplyKind,
    Simulation,
    Step,
    StepFinished,
)

SMALL_M = 0.06  # wider things do not fit into the bowl


class ClearTheTable:
    """Plans `pick` and `place_in` for every small thing; leaves out what could not be picked."""

    name = 'clear_the_table'

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        failed = {attempt.args.get('object') for attempt in request.prior_attempts}
        things = [thing.name for thing in request.scene.objects
                  if max(thing.size) < SMALL_M and thing.name not in failed]
        steps: list[Step] = []
        for thing in things:
            steps.append(Step(len(steps) + 1, 'pick', {'object': thing}))
            steps.append(Step(len(steps) + 1, 'place_in', {'target': 'bowl'}))
        goals = tuple(Goal(Predicate.IN, thing, 'bowl') for thing in things)
        return PlanReply(ReplyKind.STEPS, tuple(steps), goals)


def show(event: Event) -> None:
    if isinstance(event, StepFinished):
        print(event.step.call, 'ok' if event.result.success else event.result.reason_detail)


if __name__ == '__main__':
    with Simulation('tabletop', planner=ClearTheTable(), max_replans=2) as simulation:
        result = simulation.run('clear the table', on_event=show)
    print(result.success, result.final_reason, result.final_detail)
