"""Turns the clauses of a task into actions: phrases become object names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from replan_agent.domain.goal import Predicate
from replan_agent.domain.plan import CompletedStep
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason, SkillSpec, find_spec

from .actions import HOME, LOOK, RELEASE, REPLAN, Action, after, pick, place_at, place_on
from .grammar import Clause, Relation, Verb
from .phrases import Resolution, resolve

_WITHOUT_OBJECT = {Verb.HOME: HOME, Verb.LOOK: LOOK, Verb.REPLAN: REPLAN}


@dataclass
class Binding:
    """Turns clauses into actions one by one, each in the scene that is expected by then.

    `done` says which actions the completed steps have already done, read in order.
    """

    scene: Scene
    completed: tuple[CompletedStep, ...]
    skills: tuple[SkillSpec, ...]
    actions: list[Action] = field(default_factory=list)
    done: list[bool] = field(default_factory=list)
    _mentioned: list[str] = field(default_factory=list)
    _read: int = 0  # completed steps that belong to earlier actions
    _read_before: int = 0  # the same, without the last action

    def bind(self, clauses: Sequence[Clause]) -> Resolution | None:
        """None if every clause is bound, else why one could not be."""
        self._mentioned += self._held_at_first()
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
            return self._release(found.name)
        if clause.verb is Verb.PICK:
            return pick(found.name)
        if clause.position is not None:
            return place_at(found.name, clause.position)
        return self._placement(clause, found.name)

    def _release(self, thing: str) -> Action | Resolution:
        let_go = self._position(RELEASE, self.completed[self._read:]) is not None
        if self.scene.held == thing or let_go:
            return RELEASE
        holds = f'it holds {self.scene.held}' if self.scene.held else 'it is empty'
        return Resolution(None, Reason.PRECONDITION_FAILED,
                          f'the gripper cannot let go of {thing}: {holds}')

    def _placement(self, clause: Clause, thing: str) -> Action | Resolution:
        rest = self.completed[self._read:]
        settled = [name for name in self.scene.names()
                   if self._position(place_on(thing, name, Predicate.ON), rest) is not None]
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
                              f'{thing} cannot be put in {target.name}: it is not a container; '
                              f'containers here: {", ".join(containers) or "none"}')
        stacked = clause.relation is Relation.STACKED
        return place_on(thing, target.name, Predicate.STACKED if stacked else Predicate.ON)

    def _append(self, action: Action) -> None:
        if self.actions and self.actions[-1] == _needed_pick(action):
            self._read = self._read_before  # a placement does its own pick
            del self.actions[-1], self.done[-1]
        self._read_before = self._read
        rest = self.completed[self._read:]
        own_pick, found = _needed_pick(action), self._position(action, rest)
        if found is not None:
            self._read += found + 1
        elif own_pick is not None and (last := self._position(own_pick, rest[::-1])) is not None:
            # This pick is for an action that is not done yet: no later phrase may claim it.
            self._read = len(self.completed) - last
        self.actions.append(action)
        self.done.append(found is not None)
        self.scene = after(action, self.scene)

    def _held_at_first(self) -> list[str]:
        """What the gripper held when the task began: the meaning of "it" at the start."""
        held = self.completed[0].held if self.completed else None
        return [name for name in self.scene.names() if name == held]

    def _settled_picks(self) -> list[str]:
        """What was already picked for the clauses from here on, in order."""
        return [name for done in self.completed[self._read:] for name in self.scene.names()
                if self._is_done_by(pick(name), done)]

    def _is_done_by(self, action: Action, done: CompletedStep) -> bool:
        """Whether the step's effect is what the action asks for."""
        spec = find_spec(self.skills, done.step.skill)
        if spec is None:
            return False
        effect, args = spec.effect, done.step.args
        handled = effect.name('object', args) or (done.held if effect.puts else None)
        return (effect.kind in action.kinds and handled == action.thing
                and effect.name('target', args) == action.target
                and effect.point(args) == action.position)

    def _position(self, action: Action, completed: Sequence[CompletedStep]) -> int | None:
        """The index of the first completed step that did the action; None if none did."""
        return next((i for i, done in enumerate(completed) if self._is_done_by(action, done)),
                    None)


def _needed_pick(action: Action) -> Action | None:
    """The pick that a placement needs."""
    return pick(action.thing) if action.is_placement and action.thing is not None else None


def _is_container(thing: SceneObject) -> bool:
    return thing.is_container
