# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several plans for one task: if they do not want the same, a person is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.scene import Scene, Shape
from replan_agent.domain.skill import find_spec
from replan_agent.domain.skill_effect import Effect

VOTES = (ReplyKind.STEPS, ReplyKind.DONE, ReplyKind.GIVE_UP, ReplyKind.ASK)
GRID_M = 0.05  # places that are closer than this may be the same
MOST_SHOWN = 5


@dataclass(frozen=True)
class Samples:
    """How many plans are drawn, and which share of them must want the same.

    `opinions`: in how many forms plain English is asked for; most answers must want the same.
    """

    number: int = 1
    agreement: float = 0.7
    opinions: int = 1


def agreed(replies: Sequence[PlanReply], request: PlanRequest, agreement: float) -> PlanReply:
    """The first of the plans that most agree on; a question if too few agree.

    A reply without a plan has no vote, but it counts as one of the samples.
    """
    votes: dict[str, list[PlanReply]] = {}
    for reply in replies:
        if reply.kind in VOTES and (reply.steps or reply.kind is not ReplyKind.STEPS):
            votes.setdefault(aim(reply, request), []).append(reply)
    if not votes:
        return replies[0]
    ranked = sorted(votes.items(), key=lambda vote: -len(vote[1]))
    most = ranked[0][1]
    if len(most) >= agreement * len(replies):
        said = f'{len(most)} of {len(replies)} plans of the model want the same'
        return replace(most[0], warnings=(*most[0].warnings, said))
    listed = '; '.join(f'{words} ({len(same)} of {len(replies)})'
                       for words, same in ranked[:MOST_SHOWN])
    return question(most[0], request, f"The model's plans differ: {listed}")


def question(reply: PlanReply, request: PlanRequest, why: str) -> PlanReply:
    return PlanReply(ReplyKind.ASK, goals_certain=False, warnings=reply.warnings,
                     detail=f'what is meant by {request.task!r}? {why}')


def aim(reply: PlanReply, request: PlanRequest) -> str:
    """What the plan would bring about, in words that are the same for the same outcome."""
    if reply.kind is not ReplyKind.STEPS:
        return {ReplyKind.DONE: 'nothing, it is done already',
                ReplyKind.GIVE_UP: 'nothing, it cannot be done'}.get(reply.kind, 'ask first')
    if reply.steps[-1].is_replan and reply.goals:
        return ', '.join(sorted(map(str, reply.goals)))  # the steps are only the beginning
    ends = sorted(f'{name}: {end}' for name, end in _ends(reply, request).items())
    return ', '.join(ends) or 'move nothing'


def _ends(reply: PlanReply, request: PlanRequest) -> dict[str, str]:
    """Where each object ends up, in words."""
    ends: dict[str, str] = {}
    held = request.scene.held
    for step in reply.steps:
        spec = find_spec(request.skills, step.skill)
        if spec is None or spec.effect.touches_nothing:
            continue
        effect = spec.effect
        if not effect.changes_hand:
            how = _how(effect, step.args)
            ends[spec.acts_on(step.args) or step.skill] = ' '.join((step.skill, *how))
        elif not effect.takes:
            ends[held or 'what is held'] = _place(effect, step.args, request.scene)
        held = effect.held_after(step.args, held)
    if held:
        ends[held] = 'in the gripper'
    return ends


def _how(effect: Effect, args: Mapping[str, Any]) -> list[str]:
    """The arguments that decide the outcome, numbers with two digits."""
    said = [value for name, value in args.items() if name not in (effect.speed, effect.force)]
    return [value if isinstance(value, str) else f'{float(f"{value:.2g}"):g}'
            for value in said if isinstance(value, (str, int, float))]


def _place(effect: Effect, args: Mapping[str, Any], scene: Scene) -> str:
    target, point = effect.name('target', args), effect.point(args)
    below = scene.get(target or '')
    if target and (point is None or below is None or below.shape is not Shape.TABLE):
        return f'to {target}'
    if point is None:
        return 'dropped'
    x, y = (round(round(value / GRID_M) * GRID_M, 2) for value in point)
    return f'to ({x:g}, {y:g})'
