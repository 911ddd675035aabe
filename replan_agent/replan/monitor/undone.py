# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Undone work: a plan that would break a met goal, and a met goal that no longer holds."""

from __future__ import annotations

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.scene_changes import SceneChanges
from replan_agent.domain.skill import find_spec
from replan_agent.domain.suggested_plan import SuggestedGoal
from replan_agent.domain.task_view import Guidance, TaskView
from replan_agent.geometry.judging import judge
from replan_agent.geometry.steps.done_steps import BY_ANOTHER
from replan_agent.geometry.steps.forecast import forecast


def at_stake(view: TaskView) -> tuple[Goal, ...]:
    """The goals that must hold at the end: the task's, or the suggested plan's if it has none.

    Whether the arm is home changes with the steps, so it does not count as work.
    """
    goals = view.goals
    if not goals and view.suggested_plan is not None:
        suggested_plan = view.suggested_plan
        goals = tuple(g.goal for i, g in enumerate(suggested_plan.goals)
                      if g.goal is not None and not suggested_plan.is_stage(i))
    return tuple(g for g in goals if g.predicate is not Predicate.HOME)


def undone_by(plan: Plan, view: TaskView) -> Guidance | None:
    """A plan that claims to finish the task but breaks a goal that is met now."""
    if plan.steps[-1].is_replan:
        return None  # the rest is not planned yet
    after = view.rehearsal.after if view.rehearsal and view.rehearsal.ok else None
    end = forecast(plan.steps, view.now, view.skills)
    for goal in at_stake(view):
        if judge(goal, view.now) is not True:
            continue
        if after is not None:
            if judge(goal, after) is False and _has_moved(goal, view.now, after):
                return _would_undo(goal, f'in the rehearsal the plan ended without {goal}')
        elif end.judge(goal) is False:
            step = _undoing(goal, plan, view)
            return _would_undo(goal, f'step {step.step_number}, {step.told}, undoes {goal}')
    return None


def broken(plan: Plan, view: TaskView) -> Guidance | None:
    """A goal that was met, is no longer met, and is not restored by the rest of the plan.

    What the hand holds is put down first, unless the next step is about what was moved.
    """
    rest = remaining(plan, view)
    if rest and rest[-1].is_replan:
        return None
    coming = forecast(rest, view.now, view.skills)
    for goal in at_stake(view):
        if goal.predicate is Predicate.HOLDING or judge(goal, view.now) is not False:
            continue
        before = next((s for s in reversed(view.scenes) if not s.stale and judge(goal, s)), None)
        if before is None or not _has_moved(goal, before, view.now) \
                or coming.judge(goal) is not False:
            continue
        if view.now.held is not None and rest and not _is_about(rest[0], goal, before, view):
            continue
        return Guidance('broken_goal', f'{goal} was met and no longer is{_who(goal, before, view)}'
                        ', and the rest of the plan does not restore it. '
                        f'Restore {goal}, then go on.',
                        _restored_first(goal, view), about=str(goal))
    return None


def _is_about(step: Step, goal: Goal, before: Scene, view: TaskView) -> bool:
    """Whether the step names an object of the goal that was moved."""
    spec = find_spec(view.skills, step.skill)
    named = set() if spec is None else {step.args.get(a) for a in spec.object_arguments}
    return bool(named & _moved(goal, before, view.now))


def _who(goal: Goal, before: Scene, view: TaskView) -> str:
    """Who undid the goal, if it was not the arm.

    Each scene but the first comes after a step that succeeded.
    """
    moved = sorted(_moved(goal, before, view.now))
    since = len(view.scenes) - 1 - max(i for i, s in enumerate(view.scenes) if s is before)
    done = [r.step for r in view.steps if r.result.success]
    specs = {spec.name: spec for spec in view.skills}
    handled = {specs[step.skill].acts_on(step.args) for step in done[len(done) - since:]
               if step.skill in specs}
    failed = any(set(moved) & a.objects(specs.get(a.skill)) for a in view.attempts)
    if not moved or handled & set(moved) or failed:
        return ''
    return f' ({BY_ANOTHER.format(thing=" and the ".join(moved))})'


def remaining(plan: Plan, view: TaskView) -> tuple[Step, ...]:
    """The steps of the plan that are not executed yet."""
    done = [r.step.step_number for r in view.steps
            if r.plan_version == plan.version and not r.local_state]
    return tuple(s for s in plan.steps if s.step_number > max(done, default=0))


def _would_undo(goal: Goal, how: str) -> Guidance:
    return Guidance('undone_work', f'{how}, which is met now, and no later step restores it. '
                    f'Leave the {goal.object or goal.things} as it is, restore {goal} before the '
                    'plan ends, or end the plan with __replan__ if the rest cannot be foreseen.')


def _undoing(goal: Goal, plan: Plan, view: TaskView) -> Step:
    """The last step after which the goal no longer holds."""
    verdicts = [forecast(plan.steps[:n], view.now, view.skills).judge(goal)
                for n in range(len(plan.steps) + 1)]
    return next(step for step, before, after in reversed(
        list(zip(plan.steps, verdicts, verdicts[1:]))) if after is False and before is not False)


def _has_moved(goal: Goal, before: Scene, after: Scene) -> bool:
    named = {part.object for part in goal.named(before)}
    return bool(before.held != after.held and {before.held, after.held} & named
                or _moved(goal, before, after))


def _moved(goal: Goal, before: Scene, after: Scene) -> set[str]:
    """The objects of the goal that are elsewhere now."""
    names = {name for part in goal.named(before) for name in part.names}
    return names & set(SceneChanges.between(before, after).moved)


def _restored_first(goal: Goal, view: TaskView) -> tuple[SuggestedGoal, ...]:
    if view.suggested_plan is None:
        return ()
    again = SuggestedGoal(f'Restore {goal}', goal)
    return (again, *(g for g in view.suggested_plan.goals if not g.done and not g.means(again)))
