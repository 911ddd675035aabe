"""The events of a run as the page shows them: with what changed between plans, and with points."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from replan_agent.domain.goal import Goal
from replan_agent.domain.goal_words import goal_in_words
from replan_agent.domain.plan import Plan
from replan_agent.domain.plan_diff import difference
from replan_agent.motion.franka_kinematics import FrankaKinematics
from replan_agent.record.parsing import plan_from

Json = Mapping[str, Any]
WRONG = (KeyError, TypeError, ValueError, AttributeError, IndexError)  # in a file of others
GOALS = ('goals_set', 'goal_judged')
PLANS = ('plan_made', 'plan_adapted', 'plan_refused')


def change_of(before: Plan, after: Plan, done: Collection[int] = ()) -> dict[str, Any]:
    """What differs from one plan to another, with the goals in words."""
    found = difference(before, after, done).as_dict()
    for key in ('goals_removed', 'goals_added'):
        found[key] = [{**g, 'in_words': goal_in_words(Goal.from_dict(g))} for g in found[key]]
    return found


class Story:
    """One run, told event by event. A file of another version loses only what is added here."""

    def __init__(self) -> None:
        self._plan: Plan | None = None
        self._done: set[int] = set()  # steps of the plan that succeeded
        self._is_own = False  # the step is one of the agent itself
        self._arm = FrankaKinematics()

    def told(self, event: Json) -> dict[str, Any]:
        """The event with what the page needs beside it, and without the settings."""
        told = dict(event)
        kind = told.get('event')
        try:
            if kind == 'task_started':
                told['facts'] = {key: value for key, value in event['facts'].items()
                                 if key != 'settings'}
                self._arm = FrankaKinematics(told['facts'].get('arm_model', 'panda'))
            elif kind in PLANS:
                told['changed'] = self._changed(plan_from(event['plan']), kind)
            elif kind == 'step_started':
                self._is_own = bool(event.get('local_state'))
            elif kind == 'step_finished':
                if event['result']['success'] and not self._is_own:
                    self._done.add(event['step_idx'])
            elif kind in GOALS:
                told['in_words'] = [goal_in_words(Goal.from_dict(g)) for g in event['goals']]
            elif kind == 'attempt_recorded':
                told['marks'] = self._marks(event['attempt'].get('ik'))
        except WRONG:
            pass  # it is shown as it is
        return told

    def _changed(self, plan: Plan, kind: str) -> dict[str, Any] | None:
        """What differs from the plan before it; None for the first."""
        before, self._plan = self._plan, plan
        done: set[int] = set()
        if kind != 'plan_adapted':  # that one has the same steps
            done, self._done = self._done, done
        return None if before is None else change_of(before, plan, done)

    def _marks(self, ik: Json | None) -> dict[str, list[float]]:
        """The point that could not be reached, and the nearest that was found (m, base frame)."""
        if not ik or ik['converged']:
            return {}
        nearest = self._arm.forward(np.array(ik['joints'], float))[:3, 3]
        return {'target': [float(x) for x in ik['target']['position']],
                'nearest': [float(x) for x in nearest]}
