# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model as MuJoCo compiles it: its names, its frames at any posture, its bodies and shapes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from replan_agent.arms.arm_model import Inertia
from replan_agent.domain.pose import FloatArray
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.text.choices import meant
from replan_agent.text.setting import ConfigError
from replan_agent.text.shown_text import one_line, shown

from .model_parts import ModelText

LEAST_KG, LEAST_KG_M2 = 1e-3, 1e-6  # a simulator needs some
FAR_M = 3.0  # no link of an arm is longer
ROUND = 12  # corners of a circle
HINGE, SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)


class Compiled:
    """A model with its joints at `qpos`; frames are in its world until `move` is called again."""

    def __init__(self, text: ModelText) -> None:
        self.text = text
        try:
            self.model = mujoco.MjModel.from_xml_string(text.xml)
        except ValueError as error:
            raise ConfigError(f'{text.path}: MuJoCo cannot read it: {one_line(error, 300)}'
                              ) from error
        self.data = mujoco.MjData(self.model)
        model = self.model
        self.bodies = {model.body(i).name: i for i in range(1, model.nbody)}
        self.joints = {model.joint(i).name: i for i in range(model.njnt)}
        self.geoms = {model.geom(i).name: i for i in range(model.ngeom) if model.geom(i).name}
        self.sites = {model.site(i).name: i for i in range(model.nsite)}
        self.move({})
        self._check_size()

    @property
    def path(self) -> Path:
        return self.text.path

    def move(self, joints: dict[int, float]) -> None:
        """Put these joints where they are said to be, all others to 0."""
        self.data.qpos[:] = 0.0
        for joint in range(self.model.njnt):
            if int(self.model.jnt_type[joint]) not in (HINGE, SLIDE):
                raise ConfigError(f'{self.path}: <joint name="{self.model.joint(joint).name}"> is '
                                  'neither a hinge nor a slide; write type="hinge"')
        for joint, value in joints.items():
            self.data.qpos[self.model.jnt_qposadr[joint]] = value
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def body_pose(self, body: int) -> FloatArray:
        """T_world_body."""
        return matrix(self.data.xmat[body], self.data.xpos[body])

    def joint_pose(self, joint: int) -> FloatArray:
        """A frame at the joint's anchor with z along its axis, else as like its body's as can be.
        """
        turn = self.body_pose(int(self.model.jnt_bodyid[joint]))[:3, :3]
        axis = self.data.xaxis[joint]
        turn = turned_to(turn, axis)
        return matrix(turn, self.data.xanchor[joint])

    def frame_pose(self, name: str, where: str) -> FloatArray:
        """T_world_frame of a body, link or site. Raises ConfigError."""
        if name in self.bodies:
            return self.body_pose(self.bodies[name])
        if name in self.sites:
            site = self.sites[name]
            return matrix(self.data.site_xmat[site], self.data.site_xpos[site])
        raise self.unknown('body, link or site', name, (*self.bodies, *self.sites), where)

    def joint(self, name: str, where: str) -> int:
        if name not in self.joints:
            raise self.unknown('joint', name, self.joints, where)
        return self.joints[name]

    def body(self, name: str, where: str) -> int:
        if name not in self.bodies:
            raise self.unknown('body or link', name, self.bodies, where)
        return self.bodies[name]

    def unknown(self, what: str, name: str, known: Iterable[str], where: str) -> ConfigError:
        """The error for a name that the model does not have: it lists those that it has."""
        names = sorted(filter(None, known))
        return ConfigError(f'{where}: {self.path.name} has no {what} named {shown(name)}; '
                           f'{meant(name, names)}it has: {one_line(", ".join(names), 300)}')

    def parents(self, body: int) -> list[int]:
        """The body, the one that carries it, and so on, without the world."""
        found = []
        while body:
            found.append(body)
            body = int(self.model.body_parentid[body])
        return found

    def below(self, body: int, without: Collection[int] = ()) -> list[int]:
        """The body and all that it carries, except the bodies `without` and what they carry."""
        kept = {body}
        for other in range(body + 1, self.model.nbody):  # parents come first
            if int(self.model.body_parentid[other]) in kept and other not in without:
                kept.add(other)
        return sorted(kept)

    def effort(self, joint: int) -> float:
        """The largest torque that a motor of the model has at the joint; 0 if it says none."""
        model, best = self.model, 0.0
        if model.jnt_actfrclimited[joint]:
            best = float(np.abs(model.jnt_actfrcrange[joint]).max())
        for k in range(model.nu):
            joint_drive = model.actuator_trntype[k] == mujoco.mjtTrn.mjTRN_JOINT
            if not joint_drive or model.actuator_trnid[k, 0] != joint:
                continue
            gear = abs(float(model.actuator_gear[k, 0]))
            if model.actuator_forcelimited[k]:
                best = gear * float(np.abs(model.actuator_forcerange[k]).max())
            elif model.actuator_ctrllimited[k] and not model.actuator_biastype[k]:
                best = gear * abs(float(model.actuator_gainprm[k, 0])) * float(
                    np.abs(model.actuator_ctrlrange[k]).max())
        return best

    def shapes(self, bodies: Iterable[int]) -> list[int]:
        """The geoms that touch things; what is seen, where a group of bodies has none of these."""
        model = self.model
        seen = [g for body in bodies for g in range(model.body_geomadr[body],
                                                    model.body_geomadr[body]
                                                    + model.body_geomnum[body])
                if model.geom_type[g] != mujoco.mjtGeom.mjGEOM_PLANE]
        touch = [g for g in seen if model.geom_contype[g] or model.geom_conaffinity[g]]
        return touch or seen

    def corners(self, geom: int) -> FloatArray:
        """Points (N, 3) in the world whose hull is the geom, or encloses it closely."""
        model = self.model
        T = matrix(self.data.geom_xmat[geom], self.data.geom_xpos[geom])
        mesh = int(model.geom_dataid[geom])
        if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH and mesh >= 0:
            first = model.mesh_vertadr[mesh]
            points = model.mesh_vert[first:first + model.mesh_vertnum[mesh]].astype(float)
        else:
            points = _solid(int(model.geom_type[geom]), model.geom_size[geom])
        return np.asarray(points @ T[:3, :3].T + T[:3, 3])

    def faces(self, geom: int) -> NDArray[np.intp] | None:
        """The triangles of a mesh, as numbers of its `corners`; None for other shapes."""
        model, mesh = self.model, int(self.model.geom_dataid[geom])
        if model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_MESH or mesh < 0:
            return None
        first = model.mesh_faceadr[mesh]
        return np.asarray(model.mesh_face[first:first + model.mesh_facenum[mesh]], dtype=np.intp)

    def inertia(self, bodies: Iterable[int], frame: FloatArray) -> Inertia:
        """Mass, centre and inertia of bodies that are one piece, in a frame of the world."""
        model, data = self.model, self.data
        turn = frame[:3, :3].T
        mass, moment, parts = LEAST_KG, np.zeros(3), []
        for body in bodies:
            kg = float(model.body_mass[body])
            centre = turn @ (data.xipos[body] - frame[:3, 3])
            axes = turn @ data.ximat[body].reshape(3, 3)
            parts.append((kg, centre, axes @ np.diag(model.body_inertia[body]) @ axes.T))
            mass, moment = mass + kg, moment + kg * centre
        middle = moment / mass
        tensor = LEAST_KG_M2 * np.eye(3)
        for kg, centre, own in parts:
            away = centre - middle
            tensor += own + kg * (away @ away * np.eye(3) - np.outer(away, away))
        xx, yy, zz = np.diag(tensor)
        return Inertia(mass, _vector(middle), (float(xx), float(yy), float(zz),
                                               float(tensor[0, 1]), float(tensor[0, 2]),
                                               float(tensor[1, 2])))

    def _check_size(self) -> None:
        """Raise ConfigError for a model that is in millimetres, or has a mesh that is."""
        model = self.model
        for body in range(1, model.nbody):
            name = model.body(body).name
            away = float(np.linalg.norm(model.body_pos[body]))
            if away > FAR_M:
                raise self.text.wrong(
                    f'<{"link" if self.is_urdf else "body"} name="{name}">',
                    f'is {away:.0f} m from the one before it, as if it were in millimetres',
                    'write metres: 0.4 instead of 400')
            for geom in self.shapes([body]):
                size = float(np.ptp(self.corners(geom), axis=0).max())
                if size > FAR_M:
                    mesh = int(model.geom_dataid[geom])
                    called = '' if mesh < 0 else f' (mesh {model.mesh(mesh).name})'
                    raise self.text.wrong(
                        f'<{"link" if self.is_urdf else "body"} name="{name}">{called}',
                        f'is {size:.0f} m long, as if it were in millimetres',
                        'write scale="0.001 0.001 0.001" at its mesh, or metres')

    @property
    def is_urdf(self) -> bool:
        return '<robot' in self.text.xml[:300]


def matrix(turn: FloatArray, place: FloatArray) -> FloatArray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.reshape(turn, (3, 3)), place
    return T


def inverse(T: FloatArray) -> FloatArray:
    return matrix(T[:3, :3].T, -T[:3, :3].T @ T[:3, 3])


def turned_to(turn: FloatArray, axis: FloatArray) -> FloatArray:
    """The rotation with z along `axis` that is nearest to `turn`."""
    z = axis / np.linalg.norm(axis)
    x = turn[:, 0] - (turn[:, 0] @ z) * z
    if np.linalg.norm(x) < 0.3:
        y = turn[:, 1] - (turn[:, 1] @ z) * z
        x = np.cross(y, z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _vector(values: FloatArray) -> tuple[float, float, float]:
    x, y, z = map(float, values)
    return x, y, z


def _solid(kind: int, size: FloatArray) -> FloatArray:
    """The corners of a box, or points around a round solid."""
    signs = np.array(list(np.ndindex(2, 2, 2))) * 2.0 - 1
    geom = mujoco.mjtGeom
    if kind == geom.mjGEOM_BOX:
        return np.asarray(signs * size)
    angle = np.arange(ROUND) * 2 * np.pi / ROUND
    radius = 1 / np.cos(np.pi / ROUND)  # outside of the circle
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(ROUND)])
    if kind in (int(geom.mjGEOM_CYLINDER), int(geom.mjGEOM_CAPSULE)):
        length = size[1] + (size[0] if kind == geom.mjGEOM_CAPSULE else 0.0)
        return np.concatenate([ring * size[0] + (0, 0, z) for z in (-length, length)])
    axes = size if kind == geom.mjGEOM_ELLIPSOID else np.full(3, size[0])
    rings = [radius * (ring * np.cos(tilt) + (0, 0, np.sin(tilt)))
             for tilt in np.linspace(-np.pi / 2, np.pi / 2, 7)]
    return np.asarray(np.concatenate(rings) * axes)
