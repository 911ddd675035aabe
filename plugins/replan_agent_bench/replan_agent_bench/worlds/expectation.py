# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compares what a planner made of a sentence with what the table says that it must become."""

from __future__ import annotations

import math
from collections.abc import Sequence

from replan_agent.domain.goal import DIRECTED, Goal, Predicate
from replan_agent.domain.plan import PlanReply, ReplyKind
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.things import Quantity

from .sentence_scenes import SCENES
from .sentences import Sentence

NEAR_M = 0.011
NEAR_DEG = 1.0
_EFFECTS = {'push': EffectKind.SHIFT, 'pull': EffectKind.BRING_CLOSER,
            'look': EffectKind.OBSERVE, 'open': EffectKind.RELEASE}


def mismatch(case: Sentence, reply: PlanReply, skills: Sequence[SkillSpec]) -> str:
    """What is wrong with the answer to the sentence; '' if it is right."""
    scene = SCENES[case.scene]
    got = f'{reply.kind.value}: {", ".join(map(str, reply.goals))} {reply.detail[:160]}'
    if case.is_refused:
        asks = (case.wanted == 'refuse' or '?' in reply.detail
                or reply.kind in (ReplyKind.GIVE_UP, ReplyKind.ASK))  # a model's own words
        return '' if is_refusal(reply) and asks else got
    if reply.kind not in (ReplyKind.STEPS, ReplyKind.DONE, ReplyKind.EXHAUSTED):
        return got  # exhausted: it is understood, and there is no room or no other way
    if case.wanted == 'nothing':
        return '' if reply.kind is ReplyKind.DONE else got
    if case.wanted.startswith('do '):
        return '' if _does(case.wanted.split()[1:], reply, skills) else got
    moved = [p.split()[1] for p in case.parts if p.startswith('moves ')]
    if not set(moved) <= _taken(reply, skills):
        return f'does not move {", ".join(moved)}: {got}'
    wanted = [p for p in case.parts if not p.startswith('moves ')]
    given = [line for goal in reply.goals for line in shown(goal, scene)]
    return '' if _matches(wanted, given, reply.goals, case.viewpoint) else f'{given} {got}'


def is_refusal(reply: PlanReply) -> bool:
    """Whether the planner refused or asked, and does nothing."""
    if reply.kind in (ReplyKind.GIVE_UP, ReplyKind.ASK):
        return not reply.steps
    refused = reply.kind in (ReplyKind.UNRECOGNIZED, ReplyKind.FAILED)
    return refused and not reply.goals and not reply.steps


def shown(goal: Goal, scene: Scene) -> list[str]:
    """A goal in the words of the table, one line for each object of "all"."""
    things = goal.things
    if goal.targets is not None and things is not None:
        return [f'different {goal.predicate.value} {"+".join(sorted(things.names(scene)))} '
                f'{"+".join(sorted(goal.targets.names(scene)))}']
    if things is not None and things.quantity is not Quantity.ALL:
        return [f'{things.quantity.value} {things.count} {"+".join(sorted(things.names(scene)))} '
                f'{goal.predicate.value} {goal.target}']
    seen = f'as_{goal.viewpoint}' if goal.predicate in DIRECTED and goal.viewpoint != 'arm' else ''
    return [' '.join(filter(None, (
        'not' if goal.negated else '', part.predicate.value, part.object, part.target,
        part.second, *(f'{v:.2f}' for v in part.position or ()),
        f'{part.degrees:.1f}' if part.degrees is not None else '',
        f'{part.distance:g}' if part.distance is not None else '', seen)))
        for part in goal.named(scene)]


def _matches(wanted: list[str], given: list[str], goals: tuple[Goal, ...], viewpoint: str) -> bool:
    kind, *names = wanted[0].split()
    if kind == 'tower':
        return _is_tower(goals, names)
    if kind == 'row':
        return _is_row(goals, names, viewpoint)
    left = list(given)
    for line in wanted:
        found = next((g for g in left if _same(line, g)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _is_tower(goals: tuple[Goal, ...], names: list[str]) -> bool:
    """A tower of these, the lowest first; or of so many things."""
    above = {g.target: g.object for g in goals if g.predicate is Predicate.STACKED}
    bottoms = set(above) - set(above.values())
    chain = [next(iter(bottoms), None)]
    while chain[-1] in above:
        chain.append(above[chain[-1]])
    whole = len(bottoms) == 1 and len(chain) == len(goals) + 1
    return whole and (chain == names or names == [str(len(chain))])


def _is_row(goals: tuple[Goal, ...], names: list[str], viewpoint: str) -> bool:
    """A row at one x, these names from left to right."""
    spots = {g.object: g.position for g in goals if g.predicate is Predicate.AT and g.position}
    sign = 1.0 if viewpoint == 'person' else -1.0
    order = sorted(spots, key=lambda n: sign * spots[n][1])
    return len({x for x, _ in spots.values()}) == 1 and order == names


def _same(wanted: str, given: str) -> bool:
    a, b = wanted.split(), given.split()
    if a[0] == 'some':  # one of these, whichever: "some red_cube+blue_cube in bowl"
        names, where = a[1].split('+'), a[2:]
        if b[0] == 'exactly':
            return b[1] == '1' and set(b[2].split('+')) == set(names) and b[3:] == where
        return len(b) == 3 and b[1] in names and [b[0], b[2]] == where
    if len(a) != len(b):
        return False
    near = [x in ('?', y) or (_is_number(x) and _is_number(y) and abs(
        float(x) - float(y)) < NEAR_M) for x, y in zip(a, b)]
    if a[0] == 'turned' and a[2] != '?':
        near[2] = abs(math.remainder(float(a[2]) - float(b[2]), 360.0)) <= NEAR_DEG
    return all(near)


def _is_number(text: str) -> bool:
    return text.lstrip('-').replace('.', '', 1).isdigit()


def _taken(reply: PlanReply, skills: Sequence[SkillSpec]) -> set[str]:
    found = set()
    for step in reply.steps:
        spec = find_spec(skills, step.skill)
        if spec is not None and spec.effect.takes:
            found.add(spec.effect.name('object', step.args) or '')
    return found


def _does(words: list[str], reply: PlanReply, skills: Sequence[SkillSpec]) -> bool:
    """Whether the last step is of the skill with that effect, with these arguments."""
    spec = next(s for s in skills if s.effect.kind is _EFFECTS[words[0]])
    last = reply.steps[-1] if reply.steps else None
    return last is not None and last.skill == spec.name and set(words[1:]) <= set(
        map(str, last.args.values()))
