"""Remembers calls that were proved impossible, so that the arm does not try them again."""

from __future__ import annotations

from collections.abc import Iterable

from replan_agent.domain.plan import Proof, Step
from replan_agent.domain.proofs import proof_against
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult, SkillSpec


class RepeatGuard:
    """Blocks a call while a proof holds that it is impossible (`domain/proofs.py`)."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._proofs: list[Proof] = []

    @property
    def proofs(self) -> tuple[Proof, ...]:
        return tuple(self._proofs)

    def trust(self, proofs: Iterable[Proof]) -> None:
        """Take over what an earlier run proved."""
        self._proofs += proofs

    def note(self, step: Step, scene: Scene, result: SkillResult) -> None:
        """Remember a failure that is a proof."""
        known = proof_against(step, scene, None, self._proofs)
        if result.proved_impossible and known is None:
            self._proofs.append(Proof(step, scene, result))

    def earlier_proof(self, step: Step, scene: Scene,
                      skill: SkillSpec | None = None) -> SkillResult | None:
        """The result that proved this call impossible in this scene, or None.

        `skill` is that of the step.
        """
        proof = proof_against(step, scene, skill, self._proofs) if self._enabled else None
        return proof.result if proof else None
