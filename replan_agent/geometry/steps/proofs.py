# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""When a proof that a call is impossible still holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.plan import Proof, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec

from .same_places import same_places

AS_BEFORE_M, AS_BEFORE_RAD = 0.005, 0.05  # a proof holds only where it was made
# A proof about the object itself: wherever it stands, however it is taken.
OF_THE_OBJECT = frozenset({Cause.TOO_HEAVY, Cause.SLIPPED_IN_LIFT})
AS_IT_LIES = frozenset({Cause.TOO_WIDE})  # as long as it lies so, whatever else moves


def proof_against(step: Step, scene: Scene, skill: SkillSpec | None,
                  proofs: Iterable[Proof]) -> Proof | None:
    """The proof that this call is impossible in this scene; None if there is no such proof.

    A proof holds for the same call while nothing has moved. If it is about the object itself, it
    holds for every call of the same skill with that object, or while that one has not moved.
    `skill` is that of the step.
    """
    return next((p for p in proofs if p.step.skill == step.skill and (
        _is_of_the_object(p, step, skill, scene)
        or (_listed(p.step.args) == _listed(step.args)
            and same_places(p.scene, scene, AS_BEFORE_M, AS_BEFORE_RAD)))), None)


def _is_of_the_object(proof: Proof, step: Step, skill: SkillSpec | None, scene: Scene) -> bool:
    """Whether the proof is about the object that the step handles."""
    name = skill.acts_on(step.args) if skill else None
    if skill is None or name is None or name != skill.acts_on(proof.step.args):
        return False
    then, now = proof.scene.get(name), scene.get(name)
    return proof.result.cause in OF_THE_OBJECT or bool(
        proof.result.cause in AS_IT_LIES and then and now
        and then.pose.distance_to(now.pose) <= AS_BEFORE_M
        and then.pose.angle_to(now.pose) <= AS_BEFORE_RAD
        and max(abs(a - b) for a, b in zip(then.size, now.size)) <= AS_BEFORE_M)


def _listed(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with lists as JSON has them."""
    return {name: list(value) if isinstance(value, tuple) else value
            for name, value in args.items()}
