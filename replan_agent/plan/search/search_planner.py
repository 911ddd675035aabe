# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planner without a model: it reads the sentence, forms the goals, and searches for steps."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from replan_agent.agent.ports import Reader
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.goal import Goal
from replan_agent.domain.orders import Order, final_goals, orders_for
from replan_agent.domain.plan import PlanReply, PlanRequest, Proof, ReplyKind, Step
from replan_agent.domain.reading import Reading
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason, find_spec
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.geometry.goal_check import meanings
from replan_agent.geometry.judging import judge
from replan_agent.geometry.steps.forecast import would_fall
from replan_agent.geometry.steps.proofs import proof_against

from ..written_calls import reply_to_calls
from . import remarks
from .actions import numbered
from .no_room import no_room_on_top, nothing_fits
from .order_actions import actions_for, scene_after_order
from .search import Search
from .suggestions import left_as_it_was, suggested_plan_for

SUGGESTION_S = 2.0  # for all searches that a refusal makes to suggest sentences
MOST_SUGGESTED = 3


class SearchPlanner:
    """Plans tasks that the grammar understands. The same scene gives the same plan.

    What was proved impossible is not proposed again while the proof holds. With
    `ignores_attempts` (the planner `stub`) a deterministic failure happens again on every replan.
    It does not repeat completed steps, but the scene counts: a dropped object is picked again.
    Hints that answer what the task leaves open count; others are ignored, with a warning.
    """

    uses_model = False

    def __init__(self, reader: Reader, ignores_attempts: bool = False) -> None:
        self.reader = reader
        self.ignores_attempts = ignores_attempts

    @property
    def name(self) -> str:
        return 'stub' if self.ignores_attempts else 'search'

    def plan(self, request: PlanRequest, ctx: Context, only_read: bool = False) -> PlanReply:
        """The steps and their goals; `only_read`: no steps if goals say what is meant."""
        ctx.check()
        written = reply_to_calls(request)
        if written is not None:
            return written
        request, ignored = self._hinted(request, ctx)
        reply, reading = ((self.plan_for(request.goals, request, ctx), None)
                          if self._means_others_now(request, ctx) else
                          self.plan_and_reading(request, ctx, only_read))
        if reading is not None and reading.calls:
            return reply
        wording = self.reader.wording(request.task, request.scene)
        reply = remarks.told_plainly(reply, wording, request.task)
        said = remarks.ignored_manner(wording)
        return replace(reply, warnings=(
            *reply.warnings, *(() if request.previous is not None else said),
            *ignored))

    def _hinted(self, request: PlanRequest, ctx: Context) -> tuple[PlanRequest, list[str]]:
        """The request with the task that the hints make of it; a warning about each other hint
        that is new since the last plan.
        """
        search = Search(request.skills, check=ctx.check)
        said = self.reader.amending(request.scene, lambda task: self.read(
            replace(request, task=task), search))
        ignored = []
        for hint in request.context.get('hints', ()):
            task = said.amended(request.task, hint) if said.question(request.task) else ''
            if task:
                request = replace(request, task=task)
            elif hint in request.new_hints:
                ignored.append(f'the {self.name} planner follows only hints that answer its '
                               f'question: {hint!r} is ignored; the planner vlm can')
        return request, ignored

    def _means_others_now(self, request: PlanRequest, ctx: Context) -> bool:
        """Whether the answers to earlier questions ("the left one") no longer lead to the goals
        in force: they were given in another scene.
        """
        if not request.is_settled or not request.context.get('hints') or request.new_hints:
            return False
        read, scene = self.goals_read(request, ctx), request.scene
        if isinstance(read, Exception):
            return isinstance(read, (Open, Unclear)) and bool(read.choices or read.candidates)
        return not meanings(request.goals, scene) <= meanings(read, scene)

    def plan_and_reading(self, request: PlanRequest, ctx: Context, only_read: bool = False
                         ) -> tuple[PlanReply, Reading | None]:
        """The plan, and what the task means; None if it cannot be read."""
        search = self._search(request, ctx)
        try:
            reading = self.read(request, search)
        except NotUnderstood as why:
            return PlanReply(ReplyKind.UNRECOGNIZED, detail=remarks.told(
                str(why), remarks.similar(self._like(request, ctx)), self._asks(request))), None
        except Open as question:
            return PlanReply(ReplyKind.FAILED, reason=Reason.AMBIGUOUS_OBJECT,
                             detail=remarks.told(str(question), self._asks(request)),
                             cause=question.cause), None
        except Unclear as unclear:
            return remarks.refused(unclear, self._asks(request)), None
        written = reply_to_calls(replace(request, task=reading.calls))
        if written is not None:
            return written, reading
        if reading.refusal is not None and not reading.is_part:
            return remarks.refused(reading.refusal, self._asks(request)), reading
        goals = final_goals(reading.orders, request.scene) if only_read else ()
        reply = self._reply(reading, request, search) if not goals else PlanReply(
            ReplyKind.STEPS, goals=goals, suggested_plan=suggested_plan_for(reading.orders))
        said = remarks.left_out(reading) if request.previous is None else ()
        return replace(reply, left_alone=tuple(sorted(reading.left_alone)),
                       warnings=(*reply.warnings, *said)), reading

    def plan_for(self, goals: Sequence[Goal], request: PlanRequest, ctx: Context) -> PlanReply:
        """The plan for goals that the grammar did not read."""
        orders = orders_for(goals)
        reading = Reading(orders, (False,) * len(orders))
        return replace(self._reply(reading, request, self._search(request, ctx)),
                       goals=tuple(goals), goals_certain=request.is_settled)

    def goals_read(self, request: PlanRequest, ctx: Context) -> tuple[Goal, ...] | Exception:
        """The goals that the grammar reads in the task; else why it does not read it."""
        try:
            reading = self.read(request, Search(request.skills, check=ctx.check))
        except (NotUnderstood, Open, Unclear) as why:
            return why
        if reading.refusal is not None and not reading.is_part:
            return reading.refusal
        return final_goals(reading.orders, request.scene)

    def _search(self, request: PlanRequest, ctx: Context) -> Search:
        if self.ignores_attempts:
            return Search(request.skills, check=ctx.check)
        return Search(request.skills, functools.partial(_proof_against, request=request),
                      _tried_points(request), _not_taken(request), _not_turned(request), ctx.check)

    def _asks(self, request: PlanRequest) -> str:
        """What the unknown words of the task may be meant to be, as a question."""
        return self.reader.wording(request.task, request.scene).asks

    def _like(self, request: PlanRequest, ctx: Context) -> list[str]:
        """Sentences like the task that work here, as many as are found in a short time."""
        found: list[str] = []
        soon = ctx.within(SUGGESTION_S)
        try:
            for sentence in self.reader.similar(request.task, request.scene):
                if len(found) < MOST_SUGGESTED and self._works(sentence, request, soon):
                    found.append(sentence)
        except DeadlineExceeded:
            ctx.check()  # raises if the time for the plan itself is over
        return found

    def _works(self, sentence: str, request: PlanRequest, ctx: Context) -> bool:
        """Whether there is something to do for the sentence here, and a way to do it."""
        other = replace(request, task=sentence, goals=(), completed=(), previous=None)
        search = Search(request.skills, check=ctx.check)
        try:
            reading = self.read(other, search)
        except (NotUnderstood, Open, Unclear):
            return False
        return reading.refusal is None and self._reply(
            reading, other, search).kind is ReplyKind.STEPS

    def read(self, request: PlanRequest, search: Search) -> Reading:
        """What the task means in the scene. Raises NotUnderstood, Open or Unclear."""
        def after(order: Order, scene: Scene, left_alone: frozenset[str],
                  imagined: bool = False) -> Scene:
            own = Search(request.skills, check=search.check) if imagined else search
            own.untouched = left_alone
            return scene_after_order(order, scene, own)

        reading = left_as_it_was(self.reader.read(request, after), request)
        search.untouched = reading.left_alone
        return reading

    def _reply(self, reading: Reading, request: PlanRequest, search: Search) -> PlanReply:
        scene = request.scene
        goals = final_goals(reading.orders, scene)
        crowded = no_room_on_top(goals, scene)
        if crowded:
            return nothing_fits(crowded, goals)
        actions, failure = actions_for(reading, goals, scene, search)
        goals = () if reading.refusal is not None else goals
        if failure is not None:
            return self._no_way(failure, goals, search, request)
        if reading.refusal is not None:
            return remarks.begun(reading, actions, request, self._asks(request))
        steps = numbered(actions, scene, request.skills)
        if not steps:
            return PlanReply(ReplyKind.DONE, goals=goals, detail='nothing is left to do')
        is_new = request.suggested_plan is None or goals != request.goals
        suggested = suggested_plan_for(reading.orders) if is_new else None
        also = () if request.previous else remarks.also_moved(actions, reading.orders, scene)
        return PlanReply(ReplyKind.STEPS, steps, goals, suggested_plan=suggested, warnings=also)

    def _no_way(self, order: Order, goals: tuple[Goal, ...], search: Search,
                request: PlanRequest) -> PlanReply:
        if search.refused:
            skill, result = search.refused[-1].step.skill, search.refused[-1].result
            reason = result.reason or Reason.PRECONDITION_FAILED
            return PlanReply(ReplyKind.EXHAUSTED, goals=goals, reason=reason,
                             detail=f'{skill} failed: {reason.value} — {result.reason_detail}; '
                                    'no other plan was found')
        if search.no_room:
            return nothing_fits(search.no_room.values(), goals)
        if search.lacking:
            known = ', '.join(spec.name for spec in request.skills) or 'none'
            return PlanReply(ReplyKind.FAILED, goals=goals, reason=Reason.UNKNOWN_SKILL, detail=(
                f'no skill does this: {search.lacking}; there are: {known}'))
        unmet = [g for g in order.goals if judge(g, request.scene) is not True]
        wanted = ', '.join(map(str, unmet or order.goals))
        table = request.scene.table
        falls = (would_fall(thing, goal.position, table) for goal in unmet if table is not None
                 and goal.position and (thing := request.scene.get(goal.object or '')))
        unseen = sorted({n for g in unmet for n in g.names if request.scene.get(n) is None})
        why = ('; '.join(filter(None, falls)) or '; '.join(search.dead_ends) or (
            f'{", ".join(unseen)} is not seen' if unseen else 'none that was tried does'))
        return PlanReply(
            ReplyKind.FAILED, goals=goals, reason=Reason.PRECONDITION_FAILED,
            detail=f'no sequence of the skills leads to {wanted} in this scene: {why}')


def _proof_against(step: Step, thing: str | None, request: PlanRequest) -> Proof | None:
    """The proof that the step is impossible with that thing in the scene of the request."""
    skill = find_spec(request.skills, step.skill)
    puts = skill is not None and skill.effect.puts
    scene = replace(request.scene, held=thing) if puts else request.scene
    return proof_against(step, scene, skill, request.proofs)


def _tried_points(request: PlanRequest) -> list[tuple[float, float]]:
    """Where something could not be put earlier in this task."""
    points = [spec.effect.point(a.args) for a in request.prior_attempts
              if (spec := find_spec(request.skills, a.skill)) is not None
              and spec.effect.kind is EffectKind.PUT_AT]
    return [p for p in points if p is not None]


def _not_taken(request: PlanRequest) -> tuple[str, ...]:
    """The things that could not be taken earlier in this task, once for each time."""
    names = (spec.acts_on(a.args) for a in request.prior_attempts
             if (spec := find_spec(request.skills, a.skill)) is not None and spec.effect.takes)
    return tuple(name for name in names if name)


def _not_turned(request: PlanRequest) -> tuple[float, ...]:
    """The yaws (degrees) in which something could not be put down: the wrist does not turn so."""
    yaws = (spec.effect.value('yaw', a.args) for a in request.prior_attempts
            if a.cause is Cause.NO_POSTURE
            and (spec := find_spec(request.skills, a.skill)) is not None
            and spec.effect.kind is EffectKind.PUT_AT)
    return tuple(float(yaw) for yaw in yaws if yaw is not None)
