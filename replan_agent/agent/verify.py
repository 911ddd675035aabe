# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""VERIFY: whether the scene shows the goal. "No skill failed" is never enough."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from replan_agent.domain import event as events
from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.goal import Predicate
from replan_agent.domain.plan import PlanCause
from replan_agent.domain.scene import FLATTEST_SEEN_M, NARROWEST_SEEN_M, Scene, was_felt
from replan_agent.domain.skill import UNCHECKED
from replan_agent.domain.task_result import FinalReason
from replan_agent.domain.things import LIMITS
from replan_agent.geometry.falls import toppled
from replan_agent.geometry.judging import AT_TOLERANCE_M, is_inside, judge, judge_all
from replan_agent.geometry.out_of_sight import believed
from replan_agent.geometry.steps.done_steps import undone_by_another
from replan_agent.text.shown_text import listed

from .diagnosing import record_attempt
from .episode import Ended, Episode
from .looking import look
from .plan_request import asked_for
from .recovery.own_steps import look_past_arm
from .task_progress import State

RAISED_M = 0.03  # what is held up is at least so much higher than it stood
HIDES_M = 0.05  # what is higher than this above the table may hide a thing behind it


def verify(ep: Episode, finished: bool = True) -> PlanCause:
    """Ends the task if the scene shows the goal. Otherwise records a failed attempt.

    That nothing is left, or that it is unknown, is only said after a look from another pose.
    """
    if not ep.ports.config.recapture_after_step or ep.scene.stale:
        look(ep)
    verdict = _judged(ep, finished)
    unknown = ep.goals.all and ep.goals.verified is None and ep.scene.may_hide
    if isinstance(verdict, Ended) and ep.plans.completed and not ep.scene.stale and (
            unknown or verdict.success and _is_about_unseen(ep)):
        look_past_arm(ep)
        verdict = _judged(ep, finished)
    if isinstance(verdict, Ended):
        raise verdict
    record_attempt(ep, verdict)
    return PlanCause.ERROR


def given_up(ep: Episode, detail: str) -> Ended:
    """How the task ends if the planner gives up: success if the scene shows the goal anyway."""
    if not ep.goals.all:
        return Ended(FinalReason.GAVE_UP, detail)
    verdict = _judged(ep, finished=False)
    if isinstance(verdict, Ended) and verdict.success:
        verdict.remark(f'the planner gave up, but the scene shows it: {detail}')
        return verdict
    return Ended(FinalReason.GAVE_UP, detail)


def _judged(ep: Episode, finished: bool) -> Ended | Attempt:
    ep.enter(State.VERIFYING)
    verdict = judge_goal(ep, finished)
    ep.record(events.GoalJudged(ep.goals.all, ep.goals.verified))
    return verdict


def judge_goal(ep: Episode, finished: bool) -> Ended | Attempt:
    """How the task ends given the current scene, or the attempt that missed its goal.

    `finished`: the last plan was executed to its end. If False, the planner only says it is done.
    """
    scene, task, sight = ep.scene, ep.goals, ep.sight
    if scene.stale and task.all:  # an old picture does not show the last steps
        return _not_judged('; '.join(scene.warnings) or 'the scene is stale')
    goals = asked_for(ep)
    task.verified = judge_all(goals, scene)
    done = FinalReason.PLAN_COMPLETE if ep.plans.completed else FinalReason.ALREADY_DONE
    if task.verified and not task.certain and judge_all(task.all, sight.scenes[0]):
        task.verified = None
        return _missed(ep, f'only the planner named {", ".join(map(str, task.all))}, which was '
                           'true before anything was done: that shows nothing about the task')
    if task.verified is not False and (lost := sight.lost(goals)):
        task.verified = None
        return _not_judged('; '.join(
            f'{o.name} was at ({o.position[0]:.2f}, {o.position[1]:.2f}, {o.position[2]:.2f}) m '
            'before, and is not seen any more' for o in lost),
            f'{listed([o.name for o in lost])} brought back, or in better view',
            Cause.LOST_FROM_VIEW)
    if task.verified and _stands_in_hand(ep) and any(
            goal.predicate is Predicate.HOLDING for goal in goals):
        task.verified = False
        return _missed(ep, f'{scene.held} is between the fingers, but the scene does not show '
                           'that they hold it up: it is as high as before')
    disturbed = moved_by_mistake(ep)
    if disturbed and (task.verified or not task.all):
        task.verified = False
        return Ended(FinalReason.GOAL_NOT_MET, disturbed)
    if task.verified:
        return _done(ep, done)
    if (not task.all and task.certain and (finished or ep.failures.case is None)
            and any(record.result.success for record in ep.plans.executed)):
        # e.g. "look around": each skill verified its own result
        return Ended(done, 'the goal was not judged, because no goal is named; '
                           f'{_own_checks(ep)}', success=True)
    if task.verified is None:
        unknown = [goal for goal in goals if judge(goal, scene) is None]
        hides = _hiding_walls(scene, (goal.names for goal in unknown))
        return _not_judged(f'{", ".join(map(str, unknown))} is unknown in this scene'
                           + (hides and f': {hides}') if unknown else 'the planner named none')
    unmet = ', '.join(str(goal) for goal in goals if judge(goal, scene) is False)
    steps = 'every step of the last plan' if ep.failures.own else 'every step'
    claim = f'{steps} succeeded' if finished else 'the planner says that it is done'
    undone = undone_by_another(ep.plans.completed, scene, ep.specs, ep.failures.attempts)
    return _missed(ep, f'{claim} but the scene does not show {unmet}'
                   + (f'; {undone}' if undone else ''),
                   Cause.UNDONE_BY_ANOTHER if undone else None)


def _stands_in_hand(ep: Episode) -> bool:
    """Whether what the pads are around is no higher than where it was seen last without them."""
    thing = ep.scene.in_hand
    before = [o for scene in ep.sight.scenes if thing and scene.held != thing.name
              and (o := scene.get(thing.name)) is not None]
    return bool(thing and before and ep.scene.arm and ep.scene.table and (
        thing.position[2] - before[-1].position[2] < RAISED_M))


def _own_checks(ep: Episode) -> str:
    """What the skills' own checks are worth."""
    unchecked = dict.fromkeys(record.step.skill for record in ep.plans.executed
                              if record.result.success and record.result.evidence.get(UNCHECKED))
    if not unchecked:
        return 'every skill verified itself'
    return f'nothing was verified of {", ".join(unchecked)}: its own check looked at nothing'


def _is_about_unseen(ep: Episode) -> bool:
    """Whether a goal is also about things that no look has shown so far, as "everything" is,
    or "exactly one"."""
    return ep.scene.may_hide and any(
        goal.things is not None and goal.things.words and (
            goal.is_for_each or goal.things.quantity in LIMITS)
        or goal.predicate is Predicate.CLEAR and not goal.negated for goal in ep.goals.all)


def _done(ep: Episode, reason: FinalReason) -> Ended:
    """The success, with how far the view reaches, what is believed, and what lies on its side."""
    end, scene = Ended(reason, ', '.join(map(str, ep.goals.all)), success=True), ep.scene
    low = (f'things lower than {FLATTEST_SEEN_M * 1000:.0f} mm, or smaller than '
           f'{NARROWEST_SEEN_M * 1000:.0f} mm, may not be seen')
    if _is_about_unseen(ep):
        low_z = HIDES_M + (scene.table.top_z if scene.table else 0.0)
        high = ', '.join(o.name for o in scene.objects if o.top_z > low_z and not was_felt(o.name)
                         and not any(is_inside(o, around) for around in scene.objects))
        behind = f' or behind {high}' if high else ''
        end.remark(f'{low}, and what is beyond the picture{behind} is not')
    elif reason is FinalReason.ALREADY_DONE and scene.may_hide and scene.table is not None and any(
            goal.target == scene.table.name and not goal.negated for goal in ep.goals.all):
        end.remark(f'{low}: it may lie on one')
    if hides := _hiding_walls(scene, ([g.target] for g in ep.goals.all if g.negated)):
        end.remark(hides)
    if unseen := [f'{o.name} (last seen {scene.stamp - o.seen_at:.1f} s ago)'
                  for o in believed(ep.goals.all, scene)]:
        end.remark(f'believed, not seen now: {", ".join(unseen)}')
        ep.warn(f'the verdict rests on a belief: {", ".join(unseen)} cannot be seen now')
    if fallen := ', '.join(toppled(ep.sight.scenes[0], scene)):
        end.remark(f'lies on its side now: {fallen}')
        ep.warn(f'{fallen} stood before the task, and lies now')
    return end


def moved_by_mistake(ep: Episode) -> str:
    """What the task says to leave, and is somewhere else now, in a sentence; '' if nothing."""
    off = {name: math.dist(first.position, now.position) for name in sorted(ep.goals.left_alone)
           if (first := ep.sight.scenes[0].get(name)) and (now := ep.scene.get(name))}
    return '; '.join(f'{name} should stay where it was, but is {m * 1000:.0f} mm away from there'
                     for name, m in off.items() if m > AT_TOLERANCE_M)


def _hiding_walls(scene: Scene, asked: Iterable[Collection[str | None]]) -> str:
    """Says which deep containers that are asked about may hold more than is seen; '' if none."""
    names = {name for some in asked for name in some}
    walls = ', '.join(o.name for o in scene.objects if o.inside_hidden and o.name in names)
    return f'the walls of {walls} hide most of what may be in it' if walls else ''


def _missed(ep: Episode, detail: str, cause: Cause | None = None) -> Attempt:
    after = len(ep.plans.latest.steps) if ep.plans.latest else 0
    return Attempt(after, '', {}, FinalReason.GOAL_NOT_MET.value, detail, AttemptStage.GOAL,
                   ep.plans.version, cause=cause)


def _not_judged(why: str, helps: str = '', cause: Cause | None = None) -> Ended:
    return Ended(FinalReason.GOAL_NOT_MET, f'the goal could not be judged: {why}', remedy=helps,
                 cause=cause)
