"""Compares what a sentence became with what the table says that it must become."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scenes import SCENES

from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.things import Quantity
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search_planner import SearchPlanner

SKILLS = standard_skills().specs()
FOLDER = Path(__file__).parent
NEAR_M = 0.011


@dataclass(frozen=True)
class Case:
    """A line of a table: the scene, the sentence, and what it must become."""

    scene: str
    sentence: str
    wanted: str

    @property
    def is_refused(self) -> bool:
        return self.wanted in ('refuse', 'ask')


def cases(file: str) -> Iterator[Case]:
    scene = ''
    for line in (FOLDER / file).read_text(encoding='utf-8').splitlines():
        if line.startswith('['):
            scene = line.strip('[]')
        elif '=>' in line:
            sentence, wanted = line.split(' => ')
            yield Case(scene, sentence, wanted.strip())


def answer(case: Case) -> PlanReply:
    request = PlanRequest(case.sentence, SCENES[case.scene], SKILLS)
    return SearchPlanner().plan(request, Context())


def mismatch(case: Case) -> str:
    """What is wrong with the answer to the sentence; '' if it is right."""
    reply, scene = answer(case), SCENES[case.scene]
    got = f'{reply.kind.value}: {", ".join(map(str, reply.goals))} {reply.detail[:160]}'
    if case.is_refused:
        refused = reply.kind in (ReplyKind.UNRECOGNIZED, ReplyKind.FAILED)
        asks = case.wanted == 'refuse' or '?' in reply.detail
        return '' if refused and asks and not reply.goals and not reply.steps else got
    if reply.kind not in (ReplyKind.STEPS, ReplyKind.DONE):
        return got
    if case.wanted == 'nothing':
        return '' if reply.kind is ReplyKind.DONE else got
    if case.wanted.startswith('do '):
        return '' if _does(case.wanted.split()[1:], reply) else got
    given = [name for goal in reply.goals for name in shown(goal, scene)]
    wanted = [w.strip() for w in case.wanted.split(';')]
    return '' if _matches(wanted, given, reply.goals) else f'{given} {got}'


def shown(goal: Goal, scene: Scene) -> list[str]:
    """A goal in the words of the table, one line for each object of "all"."""
    things = goal.things
    if goal.targets is not None and things is not None:
        return [f'different {len(things.names(scene))}']
    if things is not None and things.quantity is not Quantity.ALL:
        return [f'{things.quantity.value} {things.count} {goal.predicate.value} {goal.target}']
    return [' '.join(filter(None, (
        'not' if goal.negated else '', part.predicate.value, part.object, part.target,
        part.second, *(f'{v:.2f}' for v in part.position or ())))) for part in goal.named(scene)]


def _matches(wanted: list[str], given: list[str], goals: tuple[Goal, ...]) -> bool:
    kind, _, number = wanted[0].partition(' ')
    if kind == 'tower':
        return _is_tower(goals, int(number))
    if kind == 'row':
        xs = {g.position[0] for g in goals if g.predicate is Predicate.AT and g.position}
        return len(xs) == 1 and len(goals) == int(number)
    left = list(given)
    for line in wanted:
        found = next((g for g in left if _same(line, g)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _is_tower(goals: tuple[Goal, ...], height: int) -> bool:
    below = {g.object: g.target for g in goals if g.predicate is Predicate.STACKED}
    bottoms = set(below.values()) - set(below)
    return len(below) == len(goals) == height - 1 and len(bottoms) == 1


def _same(wanted: str, given: str) -> bool:
    if wanted.startswith('some in'):
        return given.startswith('in ') and given.endswith(wanted.split()[-1])
    a, b = wanted.split(), given.split()
    return len(a) == len(b) and all(
        x in ('?', y) or (_is_number(x) and _is_number(y) and abs(float(x) - float(y)) < NEAR_M)
        for x, y in zip(a, b)) or (wanted.startswith('turned') and b[:2] == a[:2])


def _is_number(text: str) -> bool:
    return text.lstrip('-').replace('.', '', 1).isdigit()


def _does(words: list[str], reply: PlanReply) -> bool:
    """Whether the last step is of the skill with that effect, with these arguments."""
    kinds = {'push': EffectKind.SHIFT, 'pull': EffectKind.BRING_CLOSER,
             'look': EffectKind.OBSERVE, 'open': EffectKind.RELEASE}
    spec = next(s for s in SKILLS if s.effect.kind is kinds[words[0]])
    last = reply.steps[-1] if reply.steps else None
    return last is not None and last.skill == spec.name and set(words[1:]) <= set(
        map(str, last.args.values()))
