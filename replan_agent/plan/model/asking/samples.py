"""Several plans for one task: if they do not want the same, a person is asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.scene import Scene, Shape
from replan_agent.domain.skill import find_spec
from replan_agent.domain.skill_effect import Effect

from .left_out import come_true

VOTES = (ReplyKind.STEPS, ReplyKind.DONE, ReplyKind.GIVE_UP, ReplyKind.ASK)
GRID_M = 0.05  # places that are closer than this may be the same
MOST_SHOWN = 5
Form = TypeVar('Form')  # of the question for a plan
End = str | tuple[float, float]  # a place in words, or a point on the table (m)


@dataclass(frozen=True)
class Samples:
    """How many plans are drawn, and which share of them must want the same.

    `opinions`: how many plans must want the same that are asked for in different forms.
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
    return _question(most[0], request, f"The model's plans differ: {listed}")


def by_opinions(first: PlanReply, forms: Sequence[Form], ask: Callable[[Form], PlanReply],
                enough: int, request: PlanRequest,
                is_refused: Callable[[PlanReply, PlanRequest], bool]) -> PlanReply:
    """The plan that `enough` forms of the question lead to; a question if so many do not agree.

    `first` is the answer to the first form, `ask` asks in another one. An answer without a whole
    plan that can be used has no vote. Only one of the opinions names the goals, so they must be
    true after the steps that the others want too.
    """
    votes: list[PlanReply] = []
    reply = first
    for left in range(len(forms), -1, -1):
        if reply.kind in (ReplyKind.TRANSPORT, ReplyKind.ASK):
            return reply
        votes += [reply] if _is_whole(reply, request) and not is_refused(reply, request) else []
        same = _largest_group(votes, request)
        if len(same) >= enough:
            said = f'{len(same)} opinions of the model want the same'
            best = next((vote for vote in same if vote.goals
                         and come_true(vote.goals, vote.steps, request)), None)
            if best is not None:
                return replace(best, warnings=(*best.warnings, said))
        if not left or len(same) + left < enough:
            break
        reply = ask(forms[len(forms) - left])
    return _no_agreement(votes, request)


def _is_whole(reply: PlanReply, request: PlanRequest) -> bool:
    """Whether the steps are all of the plan, and move something."""
    return bool(reply.steps and not reply.steps[-1].is_replan and _spots(reply, request))


def _largest_group(replies: Sequence[PlanReply], request: PlanRequest) -> list[PlanReply]:
    """The plans that bring about the same, of the outcome that most of them want."""
    groups: list[list[PlanReply]] = []
    for reply in replies:
        same = next((group for group in groups if _alike(group[0], reply, request)), None)
        if same is None:
            groups.append([reply])
        else:
            same.append(reply)
    return max(groups, key=len, default=[])


def _no_agreement(replies: Sequence[PlanReply], request: PlanRequest) -> PlanReply:
    """The question about a task for which plans in several forms want different things."""
    wanted = dict.fromkeys(', '.join(_ends(reply, request)) or 'move nothing'
                           for reply in replies)
    listed = '; or '.join([*wanted][:MOST_SHOWN])
    why = ("The model's plans differ" if len(wanted) > 1 else 'The model is not sure')
    why = f'{why}: {listed}' if wanted else 'The model has no plan for it'
    return _question(replies[0] if replies else PlanReply(ReplyKind.ASK), request, why)


def _question(reply: PlanReply, request: PlanRequest, why: str) -> PlanReply:
    return PlanReply(ReplyKind.ASK, goals_certain=False, warnings=reply.warnings,
                     detail=f'what is meant by {request.task!r}? {why}')


def _alike(first: PlanReply, second: PlanReply, request: PlanRequest) -> bool:
    one, other = (_spots(reply, request) for reply in (first, second))
    return one.keys() == other.keys() and all(
        _same(end, other[name]) for name, end in one.items())


def _same(one: End, other: End) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return math.dist(one, other) < GRID_M


def aim(reply: PlanReply, request: PlanRequest) -> str:
    """What the plan would bring about, in words that are the same for the same outcome."""
    if reply.kind is not ReplyKind.STEPS:
        return {ReplyKind.DONE: 'nothing, it is done already',
                ReplyKind.GIVE_UP: 'nothing, it cannot be done'}.get(reply.kind, 'ask first')
    if reply.steps[-1].is_replan and reply.goals:
        return ', '.join(sorted(map(str, reply.goals)))  # the steps are only the beginning
    return ', '.join(_ends(reply, request)) or 'move nothing'


def _ends(reply: PlanReply, request: PlanRequest) -> list[str]:
    """Where each object ends up, in words."""
    return sorted(f'{name}: {end if isinstance(end, str) else _on_grid(end)}'
                  for name, end in _spots(reply, request).items())


def _spots(reply: PlanReply, request: PlanRequest) -> dict[str, End]:
    """Where each object ends up, as words or as a point."""
    ends: dict[str, End] = {}
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


def _place(effect: Effect, args: Mapping[str, Any], scene: Scene) -> End:
    target, point = effect.name('target', args), effect.point(args)
    below = scene.get(target or '')
    if target and (point is None or below is None or below.shape is not Shape.TABLE):
        return f'to {target}'
    return 'dropped' if point is None else (point[0], point[1])


def _on_grid(point: tuple[float, float]) -> str:
    x, y = (round(round(value / GRID_M) * GRID_M, 2) for value in point)
    return f'to ({x:g}, {y:g})'
