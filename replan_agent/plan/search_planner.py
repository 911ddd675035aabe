"""A planner without a model: it reads the sentence, forms the goals, and searches for steps."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.goal import Goal, Predicate, judge, judge_all
from replan_agent.domain.plan import PlanReply, PlanRequest, Proof, ReplyKind, Step
from replan_agent.domain.proofs import proof_against
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason, find_spec
from replan_agent.domain.skill_effect import EffectKind

from .actions import numbered
from .language.grammar import joined, parse
from .language.phrases import Command
from .language.refusals import NotUnderstood, Open
from .language.spelling import respelled, suggestion
from .language.wording.side_remarks import without_remarks
from .meaning import referents
from .meaning.meaning import Meaning, leaves_the_rest
from .meaning.not_seen import is_in_any_order, stand_in
from .meaning.orders import Order, check_hand, check_one_place, final_goals
from .meaning.unclear import Unclear
from .mentions import check_all_read
from .nearest_sentence import nearest_sentence
from .no_room import no_room_on_top, nothing_fits
from .order_actions import (
    Reading,
    actions_for,
    begin_with_what_is_seen,
    is_decided,
    scene_after_order,
    use_goals_in_force,
)
from .progress import Progress, may_hold_unseen
from .remarks import (
    also_moved,
    begun,
    check_condition,
    check_left_alone,
    check_replaced,
    corrected,
    ignored_manner,
    left_out,
    refused,
    told_plainly,
    with_example,
    with_spelling,
)
from .reply.written_calls import reply_to_calls
from .search import Search
from .suggestions import suggested_plan_for

SUGGESTION_S = 2.0  # for all searches that a refusal makes to suggest a sentence


class SearchPlanner:
    """Plans tasks that the grammar understands. The same scene gives the same plan.

    What was proved impossible is not proposed again while the proof holds. With
    `ignores_attempts` (the planner `stub`) a deterministic failure happens again on every replan.
    It does not repeat completed steps, but the scene counts: a dropped object is picked again.
    Hints are ignored, with a warning.
    """

    uses_model = False

    def __init__(self, viewpoint: str = 'arm', ignores_attempts: bool = False) -> None:
        self.viewpoint = viewpoint
        self.ignores_attempts = ignores_attempts

    @property
    def name(self) -> str:
        return 'stub' if self.ignores_attempts else 'search'

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        ctx.check()
        written = reply_to_calls(request)
        if written is not None:
            return written
        reply, _ = self.plan_and_reading(request, ctx)
        reply = told_plainly(reply, request)
        return replace(reply, warnings=(
            *reply.warnings, *ignored_manner(request), *corrected(request),
            *self._ignored_hints(request)))

    def _ignored_hints(self, request: PlanRequest) -> tuple[str, ...]:
        """A warning about each hint that is new since the last plan."""
        before = request.previous.context.get('hints', ()) if request.previous else ()
        return tuple(f'the {self.name} planner cannot follow hints: {hint!r} is ignored; the '
                     'planner vlm can'
                     for hint in request.context.get('hints', ()) if hint not in before)

    def plan_and_reading(self, request: PlanRequest, ctx: Context
                         ) -> tuple[PlanReply, Reading | None]:
        """The plan, and what the task means; None if it cannot be read."""
        search = (Search(request.skills, check=ctx.check) if self.ignores_attempts
                  else _informed_search(request, ctx.check))
        try:
            reading = self.read(request, search)
        except NotUnderstood as error:
            like = self._like(request, ctx)
            why = with_example(error.quoting(request.task), like)
            return PlanReply(ReplyKind.UNRECOGNIZED, detail=with_spelling(why, request)), None
        except Open as question:
            return PlanReply(ReplyKind.FAILED, reason=Reason.AMBIGUOUS_OBJECT,
                             detail=with_spelling(question, request), cause=question.cause), None
        except Unclear as why:
            return refused(why, request), None
        if reading.refusal is not None and not reading.is_part:
            return refused(reading.refusal, request), reading
        reply = self._reply(reading, request, search)
        said = left_out(reading.remarks, reading.missing) if request.previous is None else ()
        return replace(reply, left_alone=tuple(sorted(reading.left_alone)),
                       warnings=(*reply.warnings, *said)), reading

    def _like(self, request: PlanRequest, ctx: Context) -> str:
        """A sentence like the task that works here; '' if none is found in a short time."""
        try:
            return nearest_sentence(request.task, request.scene, functools.partial(
                self._works, request=request, ctx=ctx.within(SUGGESTION_S)))
        except DeadlineExceeded:
            ctx.check()  # raises if the time for the plan itself is over
            return ''

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
        """What the task means in the scene. Raises NotUnderstood, Open or Unclear.

        If all of its words cannot be read as orders, then those without its side remarks.
        """
        reading: Reading | None = None
        try:
            reading = self._read(request, search)
            if reading.refusal is None or reading.stops_to_look:
                return reading
            why: NotUnderstood | Open | Unclear = reading.refusal
        except (NotUnderstood, Open, Unclear) as error:
            why = error
        bare = without_remarks(request.task, request.scene)
        if bare.text == request.task:
            if reading is not None:
                return reading
            raise why
        try:
            return replace(self._read(replace(request, task=bare.text), search, is_all=False),
                           remarks=bare.remarks)
        except NotUnderstood:
            raise why from None

    def _read(self, request: PlanRequest, search: Search, is_all: bool = True) -> Reading:
        """What the task means. `is_all`: these are all of its words.

        If something may be hidden that the task names, and nothing says in which order things are
        moved, the reading may be about the others: see `begin_with_what_is_seen`.
        """
        task = respelled(request.task, request.scene)
        commands = joined(parse(task))
        check_all_read(task, request.scene)
        reading = self._orders(commands, request, search)
        in_part = (is_all and request.scene.may_hide and is_in_any_order(task, commands)
                   and not suggestion(task, request.scene) and not may_hold_unseen(request))
        if is_decided(request, reading, any(c.condition is not None for c in commands)):
            use_goals_in_force(request, reading, in_part)
        elif in_part and reading.refusal is not None:
            return self._in_part(reading, commands, request, search)
        return reading

    def _in_part(self, reading: Reading, commands: Sequence[Command], request: PlanRequest,
                 search: Search) -> Reading:
        """The whole task, read as if what it names were there; then only what is seen of it.

        If that cannot be done, the reading stays as it is: nobody is asked about a stand-in.
        """
        gone: dict[str, str] = {}
        scene, first = request.scene, reading
        while reading.refusal is not None:
            thing = stand_in(reading.refusal.not_seen, commands, scene)
            if thing is None:
                asked = reading.refusal.candidates  # a question about things that are there
                return reading if asked and gone.keys().isdisjoint(asked) else first
            gone[thing.name] = reading.refusal.not_seen
            scene = replace(scene, objects=(*scene.objects, thing))
            try:
                reading = self._orders(commands, replace(request, scene=scene),
                                       Search(request.skills, check=search.check))
            except Unclear:
                return first
        begin_with_what_is_seen(reading, gone, request.scene)
        return reading

    def _orders(self, commands: Sequence[Command], request: PlanRequest, search: Search
                ) -> Reading:
        """The orders of the commands, up to one that cannot be read. Raises Unclear."""
        progress = Progress(request.completed, request.skills)
        fixed = {g.object: g.position for g in request.goals
                 if g.predicate is Predicate.AT and g.object and g.position}
        context = referents.Context(request.scene, self.viewpoint)
        held = progress.held_at_first(request.scene)
        turns = {g.object: g.degrees for g in request.goals
                 if g.predicate is Predicate.TURNED and g.object and g.degrees is not None}
        stacks = {g.object: g.target for g in request.goals
                  if g.predicate is Predicate.STACKED and g.object and g.target and not g.negated}
        ends = {g.object: g for g in request.goals
                if g.predicate in (Predicate.IN, Predicate.ON) and g.object and not g.negated}
        meaning = Meaning(context, request.scene, fixed, turns, stacks=stacks, ends=ends)
        reading = Reading()
        left_alone = meaning.left_alone(commands)
        meaning.context.left_alone = search.untouched = left_alone
        meaning.context.mentioned += [held] if held else []
        before: list[Scene] = []
        for command in commands:
            scene = meaning.scene
            meaning.picked = progress.picked(scene)
            meaning.put = functools.partial(progress.put, scene=scene)
            try:
                check_condition(command, meaning)
                order = meaning.order(command)
            except Unclear as why:
                reading.refusal = why
                break
            check_left_alone(order, left_alone, scene)
            redo = bool(reading.orders) and _is_means(reading.orders[-1], order, scene)
            if redo:
                order = replace(order, acts=judge_all(order.goals, before[-1]) is True,
                                follows=order.follows or reading.orders[-1].follows)
                del reading.orders[-1], reading.done[-1]
            before.append(scene)
            reading.done.append(progress.claim(order, scene, redo))
            reading.orders.append(order)
            if not reading.done[-1]:
                meaning.context.scene = scene_after_order(order, scene, search)
        if meaning.not_done and not any(o.goals or o.movement for o in reading.orders):
            reading.orders.append(Order(tuple(meaning.not_done)))  # nothing to do, and that is so
            reading.done.append(False)
        if any(map(leaves_the_rest, commands)):
            moved = {n for o in reading.orders for n in o.may_move(request.scene)} | set(held)
            left_alone |= meaning.the_rest(commands, moved)
        reading.left_alone = search.untouched = left_alone
        check_hand(reading.orders, request.scene)
        check_one_place(reading.orders, request.scene)
        check_replaced(meaning, reading.orders, request.scene)
        reading.guesses = tuple(meaning.context.guesses)
        reading.missing = tuple(dict.fromkeys(meaning.context.missing))
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
            return begun(reading, actions, request)
        steps = numbered(actions, scene, request.skills)
        if not steps:
            return PlanReply(ReplyKind.DONE, goals=goals, detail='nothing is left to do')
        is_new = request.suggested_plan is None or goals != request.goals
        suggested = suggested_plan_for(reading.orders) if is_new else None
        also = also_moved(actions, reading.orders, scene) if request.previous is None else ()
        return PlanReply(ReplyKind.STEPS, steps, goals, suggested_plan=suggested, warnings=also)

    def _no_way(self, order: Order, goals: tuple[Goal, ...], search: Search,
                request: PlanRequest) -> PlanReply:
        if search.refused:
            skill, result = search.refused[-1].step.skill, search.refused[-1].result
            reason = result.reason or Reason.PRECONDITION_FAILED
            return PlanReply(ReplyKind.EXHAUSTED, goals=goals, reason=reason,
                             detail=f'{skill} failed: {reason.value} — {result.reason_detail}; '
                                    'no other plan exists')
        if search.no_room:
            return nothing_fits(search.no_room.values(), goals)
        if search.lacking:
            there_are = ', '.join(spec.name for spec in request.skills) or 'none'
            return PlanReply(ReplyKind.FAILED, goals=goals, reason=Reason.UNKNOWN_SKILL,
                             detail=f'no skill does this: {search.lacking}; there are: '
                                    f'{there_are}')
        unmet = [g for g in order.goals if judge(g, request.scene) is not True]
        wanted = ', '.join(map(str, unmet or order.goals))
        why = '; '.join(search.dead_ends) or 'every movement undoes another'
        return PlanReply(ReplyKind.FAILED, goals=goals, reason=Reason.PRECONDITION_FAILED,
                         detail=f'no sequence of the skills leads to {wanted} in this scene: '
                                f'{why}')


def _is_means(order: Order, after: Order, scene: Scene) -> bool:
    """Whether an order is only a means for the next: a pick before a placement."""
    means = order.goals and all(g.predicate is Predicate.HOLDING or g.negated
                                for g in order.goals)
    places = after.goals and not any(g.predicate is Predicate.HOLDING for g in after.goals)
    return bool(means and places and order.moved(scene) <= after.moved(scene))


def _informed_search(request: PlanRequest, check: Callable[[], None]) -> Search:
    """A search that knows the proofs and the failed attempts of the request."""
    return Search(request.skills, functools.partial(_proof_against, request=request),
                  _tried_points(request), _not_taken(request), _not_turned(request), check)


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


def _not_taken(request: PlanRequest) -> frozenset[str]:
    """The things that could not be taken earlier in this task."""
    names = (spec.acts_on(a.args) for a in request.prior_attempts
             if (spec := find_spec(request.skills, a.skill)) is not None and spec.effect.takes)
    return frozenset(name for name in names if name)


def _not_turned(request: PlanRequest) -> tuple[float, ...]:
    """The yaws (degrees) in which something could not be put down: the wrist does not turn so."""
    yaws = (spec.effect.value('yaw', a.args) for a in request.prior_attempts
            if a.cause is Cause.NO_POSTURE
            and (spec := find_spec(request.skills, a.skill)) is not None
            and spec.effect.kind is EffectKind.PUT_AT)
    return tuple(float(yaw) for yaw in yaws if yaw is not None)
