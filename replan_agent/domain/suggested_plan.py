# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suggested plan: goals in words, for reference, next to the steps to execute.

Its progress is read from the scene, never from the actions taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from replan_agent.text.plain_values import Recorded
from replan_agent.text.shown_text import clipped

from .goal import Goal, Predicate

SUGGESTED_PLAN = '**SUGGESTED PLAN:**'
COMPLETED = '[COMPLETED]'  # shown behind a goal that is met; never part of its words
LONGEST_GOAL = 200  # characters
MOST_GOALS = 12  # that a model may name at once
NOTES = (
    'The steps above are goals for reference: they say what should become true, not how',
    'You may reach them in another way if the current scene calls for it',
    'Decide by the objects that are seen now and by the task',
    'Take names, sizes and positions from the list of objects, not from this plan',
    'Answer with tool calls as instructed, NOT with steps of this plan',
)
_PASSING = (Predicate.HOLDING, Predicate.HOME)  # true only until the next movement


@dataclass(frozen=True)
class SuggestedGoal(Recorded):
    """A goal such as "clear the bowl". `goal` is the predicate that shows it is met, if any."""

    text: str
    goal: Goal | None = None
    done: bool = False

    def means(self, other: SuggestedGoal) -> bool:
        """Whether both ask for the same: the same predicate, or the same words."""
        return self.goal == other.goal if self.goal and other.goal else self.text == other.text


@dataclass(frozen=True)
class SuggestedPlan(Recorded):
    """A suggested plan and its progress."""

    goals: tuple[SuggestedGoal, ...]

    WRITTEN = 'goals progress_step'

    @property
    def progress_step(self) -> int:
        """The number of the first unmet goal, from 1; one past the last if all are met."""
        return next((i for i, g in enumerate(self.goals, 1) if not g.done), len(self.goals) + 1)

    def judged(self, verdicts: Sequence[bool | None]) -> SuggestedPlan:
        """This plan with a verdict for every goal. Goals that are not seen keep their state.

        A stage stays met when a later goal ends it. A goal without a predicate is met with the
        next one that has one.
        """
        met = [self._is_met(index, verdict) for index, verdict in enumerate(verdicts)]
        done = [self._is_prepared(index, met) if goal.goal is None else met[index]
                for index, goal in enumerate(self.goals)]
        return SuggestedPlan(tuple(replace(g, done=d) for g, d in zip(self.goals, done)))

    def _is_met(self, index: int, verdict: bool | None) -> bool:
        goal = self.goals[index]
        return goal.done and self.is_stage(index) if verdict is False else verdict or goal.done

    def _is_prepared(self, index: int, met: Sequence[bool]) -> bool:
        later = (i for i in range(index + 1, len(self.goals))
                 if (g := self.goals[i].goal) and g.predicate is not Predicate.HOME)
        following = next(later, None)
        return self.goals[index].done or (following is not None and met[following])

    def is_stage(self, index: int) -> bool:
        """Whether a later goal ends what this one asks for, or may: it moves the object on."""
        goal, later = self.goals[index].goal, [g.goal for g in self.goals[index + 1:]]
        if goal is not None and goal.predicate in _PASSING:
            return bool(later)
        return goal is not None and any(
            g is None or (g.object is not None and g.object == goal.object and g != goal)
            for g in later)

    def stages(self) -> tuple[SuggestedGoal, ...]:
        """The places that a thing is brought to before it goes on to another."""
        return tuple(goal for index, goal in enumerate(self.goals)
                     if goal.goal is not None and goal.goal.predicate not in _PASSING
                     and self.is_stage(index))

    def passed(self, goals: Sequence[Goal]) -> list[Goal]:
        """The goals of its stages that are none of the goals at the end."""
        return [stage.goal for stage in self.stages() if stage.goal and stage.goal not in goals]

    def revised(self, goals: Sequence[SuggestedGoal]) -> SuggestedPlan:
        """This plan with its unmet goals replaced. Met goals stay as they are.

        Met goals that are named again keep their words and move to their new place.
        """
        kept = [g for g in self.goals if g.done]
        unnamed = [g for g in kept if not any(g.means(new) for new in goals)]
        named = [next((g for g in kept if g.means(new)), replace(new, done=False))
                 for new in goals]
        return SuggestedPlan((*unnamed, *named))


def suggested_plan_text(suggested_plan: SuggestedPlan) -> str:
    """The suggested plan as text for a planner: the steps, the progress, and notes on its use."""
    texts = (clipped(' '.join(goal.text.replace(COMPLETED, ' ').split()), LONGEST_GOAL)
             for goal in suggested_plan.goals)
    steps = [f'Step {n}: {text}' + (f' {COMPLETED}' if goal.done else '')
             for n, (goal, text) in enumerate(zip(suggested_plan.goals, texts), 1)]
    return '\n'.join([
        SUGGESTED_PLAN, '', *steps, '',
        f'**Progress Step:** {suggested_plan.progress_step}', _progress(suggested_plan), '',
        '**Note:**', *(f'- {note}' for note in NOTES)])


def _progress(suggested_plan: SuggestedPlan) -> str:
    """What is completed and what comes next. Without a completed step it does not speak of any.

    Steps that the arm has executed may be listed beside it, and no goal is met by them yet.
    """
    now, goals = suggested_plan.progress_step, suggested_plan.goals
    later = [n for n, goal in enumerate(goals, 1) if goal.done and n > now]
    said = [f'Steps 1 to {now - 1} are completed.'] if now > 1 else []
    if later:
        listed = ', '.join(map(str, later))
        also = ' too' if now > 1 else ''
        said.append(f'Step {listed} is completed{also}: skip it.' if len(later) == 1
                    else f'Steps {listed} are completed{also}: skip them.')
    said.append(f'Current step to execute: {now}' if now <= len(goals) else 'No step is left.')
    return f'({" ".join(said)})'
