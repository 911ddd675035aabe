"""SKIP: the steps of a running plan whose result the scene shows meanwhile."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.needless_steps import is_done, needless_steps
from replan_agent.domain.plan import Plan

from .episode import Episode

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
            self._find(index, held)
        if index not in self.skipped:
            return False
        step = self._plan.steps[index]
        self._ep.record(events.StepSkipped(index, self._plan.version, step, NOT_NEEDED))
        return True

    def _find(self, index: int, held: str | None) -> None:
        ep, rest = self._ep, self._plan.steps[index:]
        now, specs = ep.current_scene, ep.ports.skills.specs()
        if not ep.just_looked:
            return
        if is_done(rest[0], held, now, ep.spec_of(rest[0]), ep.goals):
            self.skipped.add(index)
        found = needless_steps(rest, self._begun, now, specs, ep.goals)
        if 0 in found:
            self.skipped |= {index + i for i in found}
