# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A collision checker that looks only at those postures of a motion that may touch something."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from replan_agent.domain.pose import FloatArray
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.robot.mujoco.collision import KEPT_MODELS, MujocoCollisionChecker
from replan_agent.robot.mujoco.gl import mujoco

from .free_proof import FreeProof, MovingGeoms

MANY, NEIGHBOURS = 300, 0.02  # so many postures in a row, this close (rad), are worth a proof

_geoms_of = lru_cache(KEPT_MODELS)(MovingGeoms)


class ProvingChecker(MujocoCollisionChecker):
    """Leaves out the postures along a motion that are proved to be free."""

    def use(self, request: MotionRequest) -> None:
        super().use(request)
        self._proof: FreeProof | None = None

    def looked_at(self, postures: FloatArray) -> Iterable[int]:
        if len(postures) < MANY or abs(postures[1] - postures[0]).max() >= NEIGHBOURS:
            return super().looked_at(postures)
        if self._proof is None:
            geoms = _geoms_of(self._now.model, self._arm.joint_count)
            if not geoms.known:
                return super().looked_at(postures)
            self._joints[:] = postures[0]
            mujoco.mj_kinematics(self._now.model, self._now.data)
            self._proof = FreeProof(geoms, self._now.data, self._counts, self._clearance_m)
        found: list[int] = self._proof.doubtful(postures).tolist()
        return found
