"""A planner without a model: a small grammar, resolved against the scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate, judge
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import REPLAN_STEP, Reason

from .actions import (
    HOME,
    LOOK,
    RELEASE,
    REPLAN,
    Action,
    after,
    expand,
    final_goals,
    numbered,
    pick,
    place_at,
    place_on,
)
from .grammar import Clause, NotUnderstood, Relation, Verb, parse
from .phrases import Resolution, resolve


class StubPlanner:
    """Plans what `grammar` understands; the same scene gives the same plan.

    It ignores `prior_attempts`, so a deterministic failure is met again on every replan. It does
    not repeat what is completed, but the scene is the truth: what was dropped is picked again.
    """

    name = 'stub'
    uses_model = False

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        ctx.check()
        try:
            clauses = parse(request.task)
        except NotUnderstood as error:
            return PlanReply(ReplyKind.UNRECOGNIZED, detail=str(error))
        binding = Binding(request.scene, request.completed)
        refusal = binding.bind(clauses)
        goals = final_goals(binding.actions)
        remaining = _remaining(binding, goals, request.scene)
        steps = numbered(expand(remaining, request.scene))
        if refusal is not None:
            if not steps or not steps[-1].is_replan:
                return PlanReply(ReplyKind.FAILED, reason=refusal.reason, detail=refusal.detail)
            goals = ()  # what is not seen yet may be seen after the replan, and then judged
        if not steps:
            return PlanReply(ReplyKind.DONE, goals=goals, detail='nothing is left to do')
        return PlanReply(ReplyKind.STEPS, steps, goals)


@dataclass
class Binding:
    """Clauses turned into actions one by one, each in the scene to expect by then.

    `done` says which of the actions the completed steps, read in order, account for.
    """

    scene: Scene
    completed: Sequence[str]
    actions: list[Action] = field(default_factory=list)
    done: list[bool] = field(default_factory=list)
    _mentioned: list[str] = field(default_factory=list)
    _read: int = 0  # completed steps that earlier actions account for
    _read_before: list[int] = field(default_factory=list)  # the same, before each action

    def bind(self, clauses: Sequence[Clause]) -> Resolution | None:
        """None when every clause is bound, else why one could not be."""
        for clause in clauses:
            action = self._action(clause)
            if isinstance(action, Resolution):
                return action
            self._append(action)
        return None

    def _action(self, clause: Clause) -> Action | Resolution:
        if clause.verb in _WITHOUT_OBJECT:
            return _WITHOUT_OBJECT[clause.verb]
        if clause.verb is Verb.RELEASE and not clause.thing:
            return RELEASE
        found = resolve(clause.thing, self.scene, self._mentioned, self._settled_picks(),
                        prefer=lambda o: o.movable and not o.is_container)
        if found.name is None:
            return found
        self._mentioned.append(found.name)
        if clause.verb is Verb.RELEASE:
            return RELEASE
        if clause.verb is Verb.PICK:
            return pick(found.name)
        if clause.position is not None:
            return place_at(found.name, clause.position)
        return self._placement(clause, found.name)

    def _placement(self, clause: Clause, thing: str) -> Action | Resolution:
        settled = [name for name in self.scene.names()
                   if any(place_on(thing, name, p).description in self.completed[self._read:]
                          for p in (Predicate.IN, Predicate.ON, Predicate.STACKED))]
        prefer = _is_container if clause.relation is Relation.IN else None
        found = resolve(clause.target, self.scene, self._mentioned, settled, thing, prefer)
        target = self.scene.get(found.name or '')
        if target is None:
            return found
        if target.name == thing:
            return Resolution(None, Reason.BAD_ARGUMENTS, f'{thing} cannot be placed on itself')
        if target.is_container:
            return place_on(thing, target.name, Predicate.IN)
        if clause.relation is Relation.IN:
            containers = [o.name for o in self.scene.objects if _is_container(o)]
            return Resolution(None, Reason.BAD_ARGUMENTS,
                              f'{thing} cannot be put in {target.name}, which is no container; '
                              f'containers here: {", ".join(containers) or "none"}')
        stacked = clause.relation is Relation.STACKED
        return place_on(thing, target.name, Predicate.STACKED if stacked else Predicate.ON)

    def _append(self, action: Action) -> None:
        if self.actions and action.is_placement_of(self.actions[-1].thing) \
                and self.actions[-1].skill == 'pick':
            self._read = self._read_before.pop()  # a placement picks what it needs by itself
            del self.actions[-1], self.done[-1]
        self._read_before.append(self._read)
        rest = self.completed[self._read:]
        done = action.description in rest
        if done:
            self._read += rest.index(action.description) + 1
        elif action.thing is not None and pick(action.thing).description in rest:
            # Picked for this action, which is not done yet: no later phrase may claim that pick.
            again = list(reversed(rest)).index(pick(action.thing).description)
            self._read += len(rest) - again
        self.actions.append(action)
        self.done.append(done)
        self.scene = after(action, self.scene)

    def _settled_picks(self) -> list[str]:
        """What was picked already for the clauses from here on, in that order."""
        picks = {pick(name).description: name for name in self.scene.names()}
        return [picks[text] for text in self.completed[self._read:] if text in picks]


_WITHOUT_OBJECT = {Verb.HOME: HOME, Verb.LOOK: LOOK, Verb.REPLAN: REPLAN}


def _is_container(thing: SceneObject) -> bool:
    return thing.is_container


def _remaining(binding: Binding, goals: Sequence[Goal], scene: Scene) -> list[Action]:
    """The actions that are still needed, in order."""
    remaining: list[Action] = []
    for index, (action, done) in enumerate(zip(binding.actions, binding.done)):
        later = binding.actions[index + 1:]
        if action.skill == REPLAN_STEP and not remaining:
            continue  # this scene is fresh: planning now is what the step asks for
        is_final = action.goal in goals and all(a.goal != action.goal for a in later)
        if _is_needed(action, done, is_final, scene, remaining):
            remaining.append(action)
    return remaining


def _is_needed(action: Action, done: bool, is_final: bool, scene: Scene,
               before: Sequence[Action]) -> bool:
    """Whether the action must (still) be carried out, after those `before` it.

    What counts for a final goal is whether it holds, for a stage on the way whether it was done
    (or is a pick of what is held).
    """
    if action.goal is None:
        return not done
    holds = False if _is_undone_by(before, action.goal) else judge(action.goal, scene)
    if is_final and holds is not None:
        return not holds
    return not done and not (holds and action.skill == 'pick')


def _is_undone_by(actions: Sequence[Action], goal: Goal) -> bool:
    """Whether carrying out the actions can end what the goal asks for."""
    if goal.predicate is Predicate.HOME:
        return any(a.moves_object for a in actions)
    if goal.predicate is Predicate.HOLDING:
        return any(a.uses_gripper for a in actions)
    moved = {a.thing for a in actions if a.moves_object}
    return goal.object in moved or goal.target in moved
