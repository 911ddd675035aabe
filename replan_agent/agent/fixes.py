"""Changes to a step that failed, or failed in the past: tried, and remembered when they help."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.plan import Step
from replan_agent.domain.recovery import FailureCase, Fix, Situation
from replan_agent.domain.situation import situation_of

from .episode import Episode

TRUSTED = 0.5  # the weight from which a remembered fix is used before anything failed


class Fixing:
    """The changes tried on one step, one after the other."""

    def __init__(self, ep: Episode, step: Step) -> None:
        self._ep = ep
        self._planned = step
        self._tried: list[dict[str, object]] = [dict(step.args)]
        self._fix: Fix | None = None
        self._situation: Situation | None = None

    def advised(self) -> Step:
        """The step as memory advises to begin; the planned one when it knows nothing."""
        memory = self._ep.agent.memory
        if memory is None or not self._ep.agent.config.adapt_retries:
            return self._planned
        found = memory.recall(situation_of(self._planned, self._ep.current_scene))
        self._ep.warn_of_memory()
        for known in found:
            if known.fix.changes and known.weight > TRUSTED:
                self._ep.record(events.MemoryRecalled(len(self._ep.steps), (known,)))
                return self._apply(known.fix, known.situation)
        return self._planned

    def next_try(self, case: FailureCase) -> Step:
        """The step to try after a failure: with a change that was not tried yet, if one is known.

        What memory trusts comes before what reflection suggests.
        """
        ep = self._ep
        if not ep.agent.config.adapt_retries:
            return self._planned
        suggested = ep.reflections[-1].fix if ep.reflections else None
        remembered = [k.fix for k in ep.remembered if k.weight > TRUSTED]
        for fix in [*remembered, *([suggested] if suggested else [])]:
            if fix.changes and dict(fix.applied_to(self._planned).args) not in self._tried:
                return self._apply(fix, situation_of(self._planned, case.before, case.attempt))
        last = self._fix
        return last.applied_to(self._planned) if last else self._planned

    def tell(self, worked: bool) -> None:
        """How the step went with the change that was made, if one was."""
        memory = self._ep.agent.memory
        if memory is not None and self._fix is not None and self._situation is not None:
            memory.learn(self._situation, self._fix, worked)
            self._ep.warn_of_memory()

    def _apply(self, fix: Fix, situation: Situation) -> Step:
        self._fix, self._situation = fix, situation
        step = fix.applied_to(self._planned)
        self._tried.append(dict(step.args))
        self._ep.record(events.StepAdapted(len(self._ep.steps), step, fix))
        return step
