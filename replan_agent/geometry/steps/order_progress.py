"""Which orders of a task the completed steps did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replan_agent.domain.goal import SUPPORTED, Goal, Predicate
from replan_agent.domain.orders import Movement, Order
from replan_agent.domain.plan import CompletedStep
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import PUTS, EffectKind

from .undone_steps import effect_of, handled_by


@dataclass
class OrderProgress:
    """Each order claims the steps that did it; later orders look only at those after them."""

    completed: tuple[CompletedStep, ...]
    skills: Sequence[SkillSpec]
    _read: int = 0
    _read_before: int = 0  # without the last order

    @property
    def rest(self) -> tuple[CompletedStep, ...]:
        return self.completed[self._read:]

    def held_at_first(self, scene: Scene) -> tuple[str, ...]:
        """What the gripper held when the task began: the meaning of "it" at the start."""
        held = self.completed[0].held if self.completed else scene.held
        return (held,) if held is not None and held in scene.names() else ()

    def claim(self, order: Order, scene: Scene, redo: bool = False) -> bool:
        """Whether the completed steps did the order. `redo`: the last one is part of this one."""
        if redo:
            self._read = self._read_before
        self._read_before = self._read
        wanted = [order.movement] if order.movement is not None else [
            part for goal in order.goals for part in goal.named(scene)]
        found = [at for one in wanted if (at := next((
            i for i, done in enumerate(self.rest) if self._does(done, one)), None)) is not None]
        if not wanted or len(found) < len(wanted):
            return False
        self._read += max(found) + 1
        return True

    def _does(self, done: CompletedStep, wanted: Goal | Movement) -> bool:
        """Whether the step's effect is what is wanted."""
        effect, args = effect_of(done, self.skills), done.step.args
        handled = handled_by(done, self.skills)
        if isinstance(wanted, Movement):
            same = wanted.thing in (None, handled) or wanted.kind is EffectKind.RELEASE
            return (effect.kind is wanted.kind and same and wanted.kind is not None
                    and effect.value('direction', args) == wanted.direction
                    and effect.name('target', args) == wanted.target)
        if wanted.predicate is Predicate.HOME:
            return effect.kind is EffectKind.GO_HOME
        if handled != wanted.object:
            return False
        if wanted.predicate is Predicate.IS:
            return effect.state == wanted.state
        if wanted.predicate is Predicate.HOLDING:
            return effect.takes
        if wanted.predicate in SUPPORTED and not wanted.negated:
            return effect.puts and effect.name('target', args) == wanted.target
        if wanted.predicate is Predicate.AT:
            return effect.puts and effect.point(args) == wanted.position
        return effect.kind in PUTS
