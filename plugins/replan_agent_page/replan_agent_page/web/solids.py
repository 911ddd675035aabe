# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulated world as solids, and where they are: what a browser needs to draw it itself."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from replan_agent.domain.config import ConfigError, WorkspaceConfig
from replan_agent.domain.pose import FloatArray
from replan_agent.geometry.keep_out import keep_out_zones
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.world import World

KINDS = {int(getattr(mujoco.mjtGeom, f'mjGEOM_{name.upper()}')): name for name in
         ('plane', 'sphere', 'capsule', 'ellipsoid', 'cylinder', 'box', 'mesh')}
DRAWN_GROUPS = 3  # as MuJoCo draws them: what only collides has a higher one
DIGITS = 4  # of metres and quaternions
MOST_TOUCHES = 30
LEAST_N = 0.05  # a weaker contact has no arrow


@dataclass(frozen=True)
class State:
    """What a world is in: positions, speeds, and what its motors push with."""

    positions: FloatArray
    speeds: FloatArray | None = None
    motors: FloatArray | None = None  # N·m, and N of the gripper; None: no forces are known

    @staticmethod
    def of(world: World) -> State:
        """A copy of it now. For the thread that steps the world, or while none does."""
        data = world.data
        return State(data.qpos.copy(), data.qvel.copy(), data.actuator_force.copy())


class Solids:
    """The solids of a world, with a state of its own: the world is only read, once.

    For one thread at a time.
    """

    def __init__(self, world: World, workspace: WorkspaceConfig | None = None) -> None:
        self._model, self._data = world.without_state().with_state().drawn()
        _push_as_told(self._model)
        self._moving = np.flatnonzero(self._model.body_weldid)
        things = {self._model.body(placed.spec.name).id: placed.spec.name
                  for placed in world.placed}
        self._arm = np.setdiff1d(self._moving, list(things))
        names = [self._model.body(int(body)).name for body in self._moving]
        self.shape: dict[str, Any] = {
            'solids': [self._solid(geom) for geom in range(self._model.ngeom)
                       if self._is_drawn(geom)],
            'meshes': {str(mesh): self._mesh(mesh) for mesh in range(self._model.nmesh)},
            'moving': names, 'arm': [k for k, body in enumerate(self._moving)
                                     if body in self._arm],
            'things': sorted(set(things.values()) & set(names)), 'zones': _zones(workspace)}

    def at(self, state: State) -> dict[str, Any]:
        """Where everything is that can move (m, base frame), and what the arm touches.

        A touch is a place and the force on the thing (N), zeros if the motors are not known.
        """
        model, data = self._model, self._data
        data.qpos[:] = state.positions
        data.qvel[:] = 0 if state.speeds is None else state.speeds
        data.ctrl[:] = 0
        if state.motors is not None:
            data.ctrl[:len(state.motors)] = state.motors
        mujoco.mj_forward(model, data)
        poses = np.hstack([data.xpos, data.xquat])[self._moving]
        sides = np.isin(model.geom_bodyid[data.contact.geom], self._arm)
        found = np.flatnonzero((sides.sum(axis=1) == 1) & (data.contact.dist <= 0))
        touches = [[*data.contact.pos[k], *self._force(k, sides[k, 1], state)]
                   for k in found[:MOST_TOUCHES]]
        return {'poses': _rounded(poses), 'touches': _rounded(touches)}

    def _force(self, contact: int, arm_is_second: bool, state: State) -> FloatArray:
        """On the thing (N, base frame). MuJoCo has that on the second of the two solids."""
        felt = np.zeros(6)
        if state.motors is not None:
            mujoco.mj_contactForce(self._model, self._data, contact, felt)
        force = felt[:3] @ self._data.contact.frame[contact].reshape(3, 3)
        if np.linalg.norm(force) < LEAST_N:
            return np.zeros(3)
        return np.asarray(-force if arm_is_second else force)

    def along(self, states: Iterable[tuple[Mapping[str, Any], State]]) -> list[Any]:
        """Each state with `moved`: the poses that differ from those before it, by their number."""
        found: list[Any] = []
        before: list[Any] = [None] * len(self._moving)
        for more, state in states:
            now = self.at(state)
            moved = {k: pose for k, pose in enumerate(now['poses']) if pose != before[k]}
            found.append({**more, 'moved': moved, 'touches': now['touches']})
            before = now['poses']
        return found

    def _is_drawn(self, geom: int) -> bool:
        return (self._model.geom_group[geom] < DRAWN_GROUPS and self._rgba(geom)[3] > 0
                and int(self._model.geom_type[geom]) in KINDS)

    def _rgba(self, geom: int) -> FloatArray:
        material = int(self._model.geom_matid[geom])
        return np.asarray(self._model.geom_rgba[geom] if material < 0
                          else self._model.mat_rgba[material])

    def _solid(self, geom: int) -> dict[str, Any]:
        """One solid in the frame of its body. What never moves is in the base frame."""
        model, data = self._model, self._data
        body, kind = int(model.geom_bodyid[geom]), KINDS[int(model.geom_type[geom])]
        moves = bool(model.body_weldid[body])
        turn = np.zeros(4)
        mujoco.mju_mat2Quat(turn, data.geom_xmat[geom])
        at = [model.geom_pos[geom], model.geom_quat[geom]] if moves else [data.geom_xpos[geom],
                                                                          turn]
        return {'kind': kind, 'size': _rounded(model.geom_size[geom]),
                'rgba': _rounded(self._rgba(geom)), 'pose': _rounded(np.hstack(at)),
                'of': int(np.searchsorted(self._moving, body)) if moves else None,
                'mesh': int(model.geom_dataid[geom]) if kind == 'mesh' else None}

    def _mesh(self, mesh: int) -> dict[str, str]:
        """Corners (m, float32) and triangles (uint32), as base64."""
        model = self._model
        corners, faces = (slice(int(first[mesh]), int(first[mesh] + count[mesh]))
                          for first, count in ((model.mesh_vertadr, model.mesh_vertnum),
                                               (model.mesh_faceadr, model.mesh_facenum)))
        return {'corners': b64encode(np.float32(model.mesh_vert[corners]).tobytes()).decode(),
                'faces': b64encode(np.uint32(model.mesh_face[faces]).tobytes()).decode()}


def _push_as_told(model: mujoco.MjModel) -> None:
    """Motors push with what they are told, whatever servos they were; nothing sleeps."""
    model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    model.actuator_dyntype[:] = model.actuator_gaintype[:] = model.actuator_biastype[:] = 0
    model.actuator_gainprm[:, 0] = 1
    model.actuator_ctrllimited[:] = model.actuator_forcelimited[:] = 0


def _zones(workspace: WorkspaceConfig | None) -> list[dict[str, Any]]:
    """Where the arm must stay, and what it must not enter: centre and full size (m)."""
    if workspace is None:
        return []
    low, high = (np.array([getattr(workspace, f'{axis}_{end}') for axis in 'xyz'])
                 for end in ('min', 'max'))
    try:
        kept = keep_out_zones(workspace)
    except ConfigError:  # of a run of another version
        kept = ()
    return [{'name': 'workspace', 'centre': _rounded((low + high) / 2),
             'size': _rounded(high - low)},
            *({'name': zone.name, 'centre': list(zone.position), 'size': list(zone.size)}
              for zone in kept)]


def _rounded(numbers: Any) -> Any:
    return np.asarray(numbers).round(DIGITS).tolist()
