"""SKIP: the steps of a running plan whose result the scene shows meanwhile."""

from __future__ import annotations

from itertools import count, takewhile

from replan_agent.domain import event as events
from replan_agent.domain.needless_steps import is_done, needless_steps
from replan_agent.domain.plan import Plan

from .episode import Episode
from .looking import look

NOT_NEEDED = 'not needed any more: the scene shows its result already'


class Skipping:
    """Which steps of one plan are skipped. Only a look since the last motion shows that."""

    def __init__(self, ep: Episode, plan: Plan) -> None:
        self._ep, self._plan = ep, plan
        self._begun = ep.current_scene
        self.skipped: set[int] = set()

    def skips(self, index: int, held: str | None = None) -> bool:
        """Whether the step at `index` is skipped; that is recorded.

        `held` is what the hand held before it, if the step was tried and failed.
        """
        if index not in self.skipped:
            self.skipped |= self._needless_by_two_looks(index, held)
        if index not in self.skipped:
            return False
        step = self._plan.steps[index]
        self._ep.record(events.StepSkipped(index, self._plan.version, step, NOT_NEEDED))
        return True

    def _needless_by_two_looks(self, index: int, held: str | None) -> set[int]:
        """The indices from this one on, without a gap. One look may be wrong, so it looks again.

        A perception that asks a model is not asked again: then nothing is skipped.
        """
        if self._ep.ports.perception.uses_model:
            return set()
        found = self._needless(index, held)
        if found:
            look(self._ep)
            found &= self._needless(index, held)
        return set(takewhile(found.__contains__, count(index)))

    def _needless(self, index: int, held: str | None) -> set[int]:
        """The indices, from this one on, whose results the last look shows."""
        ep, rest = self._ep, self._plan.steps[index:]
        now, specs = ep.current_scene, ep.ports.skills.specs()
        if not ep.just_looked:
            return set()
        found = {index + i for i in needless_steps(rest, self._begun, now, specs, ep.goals)}
        found = found if index in found else set()
        if is_done(rest[0], held, now, ep.spec_of(rest[0]), ep.goals):
            found.add(index)
        return found
