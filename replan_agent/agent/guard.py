"""Remembers calls that were proved impossible, so that the arm does not try them again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.plan import Step
from replan_agent.domain.resume import Proof
from replan_agent.domain.same_places import same_places
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult

MOVED_M = 0.005
TURNED_RAD = 0.05
# A proof about the object itself: wherever it stands, however it is taken.
OF_THE_OBJECT = frozenset({Cause.TOO_HEAVY})


class RepeatGuard:
    """Blocks an identical call that was proved impossible while the scene is unchanged.

    If the proof is about the object itself, no adjustable argument and no other place help.
    """

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

    def earlier_proof(self, step: Step, scene: Scene,
                      adjustable: Collection[str] = ()) -> SkillResult | None:
        """The result that proved this call impossible in this scene, or None.

        `adjustable` are arguments of the step's skill.
        """
        return self._known(step, scene, adjustable) if self._enabled else None

    def _known(self, step: Step, scene: Scene,
               adjustable: Collection[str] = ()) -> SkillResult | None:
        for proof in self._proofs:
            known, anywhere = proof.step, proof.result.cause in OF_THE_OBJECT
            ignored = adjustable if anywhere else ()
            same_call = (known.skill == step.skill
                         and _without(known.args, ignored) == _without(step.args, ignored))
            if same_call and (anywhere or same_places(proof.scene, scene, MOVED_M, TURNED_RAD)):
                return proof.result
        return None


def _without(args: Mapping[str, Any], ignored: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if name not in ignored}
