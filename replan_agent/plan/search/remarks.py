# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the planner says beside its steps: why a task is refused, and what else is moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Predicate
from replan_agent.domain.orders import Order
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.reading import Reading, Wording, told_not_seen
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.geometry.judging import judge, resting_on
from replan_agent.text.shown_text import shown

from .actions import REPLAN, Action, look_for, numbered


def refused(why: Unclear, asks: str = '') -> PlanReply:
    """The reply to words that cannot be read; with a spelling mistake they are the problem."""
    return PlanReply(ReplyKind.FAILED, detail=told(str(why), asks),
                     reason=Reason.AMBIGUOUS_OBJECT if asks else why.reason,
                     cause=Cause.UNCLEAR_WORDS if asks else why.cause)


def told(*parts: str) -> str:
    return '; '.join(filter(None, parts))


def similar(sentences: Sequence[str]) -> str:
    """Sentences that work here, after a refusal; '' without any."""
    quoted = ', '.join(f'"{sentence}"' for sentence in sentences)
    return quoted and (f'a similar sentence that works here: {quoted}' if len(sentences) == 1
                       else f'similar sentences that work here: {quoted}')


def begun(reading: Reading, actions: Sequence[Action], request: PlanRequest, asks: str
          ) -> PlanReply:
    """The steps of what can be done now, with another look after them. It names no goal yet."""
    assert reading.refusal is not None
    steps = numbered(actions, request.scene, request.skills)
    reply = refused(reading.refusal, asks)
    if not steps:
        return reply
    if reading.not_seen and [step.call for step in steps] == [
            done.step.call for done in request.completed[-len(steps):]]:
        unmet = [str(goal) for order in reading.orders for goal in order.goals
                 if judge(goal, request.scene) is not True]  # once more would not help
        return replace(reply, detail='the same steps were just done, and the scene does not show '
                                     f'{", ".join(unmet)}; also, {reply.detail}')
    missing = told_not_seen(reading.not_seen) if reading.not_seen else ''
    if not actions[-1].is_replan:
        actions = (*actions, look_for(missing) if missing else REPLAN)
    also = also_moved(actions, reading.orders, request.scene) if request.previous is None else ()
    said = (f'{missing}: this plan is for the others, then it looks again',) if missing else ()
    return PlanReply(ReplyKind.STEPS, numbered(actions, request.scene, request.skills),
                     warnings=(*also, *said), goals_certain=False)


def told_plainly(reply: PlanReply, wording: Wording, task: str) -> PlanReply:
    """The reply; a refusal says so if the task is in another language or asks for nothing."""
    if reply.kind not in (ReplyKind.UNRECOGNIZED, ReplyKind.FAILED) or reply.goals:
        return reply
    if wording.asks_for_nothing:
        return PlanReply(ReplyKind.GIVE_UP, detail=f'{shown(task)} asks for no movement, '
                         'so nothing is done and nothing moves')
    if wording.is_foreign:
        return PlanReply(ReplyKind.UNRECOGNIZED, detail=f'did not understand {shown(task)}: the '
                         'built-in planners read English only; a model may know this language '
                         '(--planner vlm)')
    return reply


def also_moved(actions: Sequence[Action], orders: Sequence[Order], scene: Scene
                ) -> tuple[str, ...]:
    """A remark about each object that is moved although no goal is about it."""
    meant = {p.object for o in orders for g in o.goals for p in g.named(scene)} | {
        o.movement.thing for o in orders if o.movement is not None} | {
            scene.held, *(a.target for a in actions if a.sets)}  # and tools
    meant |= {inside.name for o in orders for g in o.goals if g.predicate is Predicate.CLEAR
              and (below := scene.get(g.object or '')) for inside in resting_on(below, scene)}
    found: dict[str, str] = {}
    for number, action in enumerate(actions):
        if action.kind is EffectKind.TAKE and action.thing and action.thing not in meant:
            later = next((a.thing for a in actions[number:] if a.thing in meant), None)
            found.setdefault(action.thing, later or 'the others')
    return tuple(f'{name} is moved too: it is in the way of {other}'
                 for name, other in found.items())


def ignored_manner(wording: Wording) -> tuple[str, ...]:
    """A warning about words that say how to move: they change nothing."""
    if not wording.manner:
        return ()
    return (f'{", ".join(wording.manner)}: the words of a task do not change the speed; answer '
            'the approver with "slower", or lower motion.max_velocity_scaling_factor',)


def left_out(reading: Reading) -> tuple[str, ...]:
    """A warning about what is not done: it fits nothing here, or an "if" is not so."""
    return (*(f'nothing here matches {text!r}: there is nothing to do about it'
              for text in reading.missing), *reading.left_out)
