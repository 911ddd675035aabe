"""Remembers calls that were proved impossible, so that the arm does not try them again."""

from __future__ import annotations

from collections.abc import Iterable

from replan_agent.domain.plan import Step
from replan_agent.domain.resume import Proof
from replan_agent.domain.same_places import same_places
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult

MOVED_M = 0.005
TURNED_RAD = 0.05


class RepeatGuard:
    """Blocks an identical call that was proved impossible while the scene is unchanged."""

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
        if result.proved_impossible and self._known(step, scene) is None:
            self._proofs.append(Proof(step, scene, result))

    def earlier_proof(self, step: Step, scene: Scene) -> SkillResult | None:
        """The result that proved this call impossible in this scene, or None."""
        return self._known(step, scene) if self._enabled else None

    def _known(self, step: Step, scene: Scene) -> SkillResult | None:
        for proof in self._proofs:
            known = proof.step
            same_call = known.skill == step.skill and dict(known.args) == dict(step.args)
            if same_call and same_places(proof.scene, scene, MOVED_M, TURNED_RAD):
                return proof.result
        return None
