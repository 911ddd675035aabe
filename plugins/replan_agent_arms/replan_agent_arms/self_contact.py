# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which links of an arm need no check against each other: neighbours, and what cannot touch."""

from __future__ import annotations

import itertools

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.pose import FloatArray
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.mjcf.arm_looks import NO_LOOKS
from replan_agent.robot.mujoco.mjcf.arm_mjcf import arm_xml, finger_positions
from replan_agent.text.setting import ConfigError, key_path

from .branches import even_shares
from .sidecar import ArmFile

POSTURES = 2000
ALWAYS = 0.95  # a share of the postures: shapes that touch in more are larger than the links
WIDTHS = 33  # of the hand, from closed to open
FAR_M, SLACK_M, FINEST_M = 1.0, 1e-4, 5e-4  # distances: that count, that may be wrong, of a step
MOST_LOOKS = 200_000  # for two shapes


def never_touch(arm: ArmModel, file: ArmFile) -> tuple[tuple[str, str], ...]:
    """Pairs of links, or a link and the hand, that are not checked against each other.

    They are neighbours, touch in nearly all postures, or have one link between them and touch at
    home, or are proved never to touch. A pair farther apart that touches at home is an error.
    """
    seen = _Seen(arm)
    home, counts = seen.touching(np.array(arm.home)), dict.fromkeys(seen.pairs, 0)
    limits = arm.limits
    for posture in limits.lower + even_shares(arm.joint_count, POSTURES) * (
            limits.upper - limits.lower):
        for pair in seen.touching(posture):
            counts[pair] += 1
    found = []
    for a, b in seen.pairs:
        share, near = counts[a, b] / POSTURES, b - a <= 2
        if b - a == 1 or share > ALWAYS or near and (
                (a, b) in home or not share and seen.stay_apart(a, b)):
            found.append((seen.called[a], seen.called[b]))
        elif (a, b) in home:
            told = ['the base', *(f'the link of {name}' for name in arm.joint_names), 'the hand']
            raise ConfigError(f'{key_path(str(file.path), "home")}: {told[a]} and {told[b]} touch '
                              'there; write a posture in which the arm is free')
    return tuple(found)


class _Seen:
    """The arm alone, with its camera. Its parts are numbered: the base, the links, the hand."""

    def __init__(self, arm: ArmModel) -> None:
        self._arm = arm
        self._model = mujoco.MjModel.from_xml_string(
            '<mujoco><compiler angle="radian"/><option><flag filterparent="disable"/></option>'
            f'{arm_xml(arm, NO_LOOKS, arm.hand_camera is not None)}</mujoco>')
        self._data = mujoco.MjData(self._model)
        self.called = [*(f'link{i}' for i in range(arm.joint_count + 1)), 'hand']
        self.pairs = tuple(itertools.combinations(range(len(self.called)), 2))
        names = {arm.frame(part): k for k, part in enumerate(self.called)}
        names |= dict.fromkeys(map(arm.frame, arm.hand_parts), len(self.called) - 1)
        self._owner = np.array([names.get(self._model.body(int(body)).name, -1)
                                for body in self._model.geom_bodyid])
        self._joints = [int(self._model.joint(name).qposadr[0]) for name in arm.joint_names]

    def touching(self, posture: FloatArray) -> set[tuple[int, int]]:
        self._place(posture)
        mujoco.mj_collision(self._model, self._data)
        owners = (sorted((self._owner[g], self._owner[h])) for g, h in self._data.contact.geom)
        return {(int(a), int(b)) for a, b in owners if a != b and a >= 0}

    def stay_apart(self, a: int, b: int) -> bool:
        """Whether two parts are proved never to touch, whatever the joints between them do.

        No point moves farther than its distance from a joint times the angle. So a distance at
        the middle of a range of angles, larger than that, proves the range; else it is halved.
        """
        widths = self._widths(b) if b == len(self.called) - 1 else [(0.0, 0.0)]
        return all(self._apart(int(g), int(h), range(a, min(b, self._arm.joint_count)), *at)
                   for g in np.flatnonzero(self._owner == a)
                   for h in np.flatnonzero(self._owner == b) for at in widths)

    def _widths(self, hand: int) -> list[tuple[float, float]]:
        """Widths of the hand, and how far its points move from each to the next one at most."""
        widths = np.linspace(0.0, self._arm.hand.max_width_m, WIDTHS).tolist()
        places = []
        for width in widths:
            self._place(np.array(self._arm.home), width)
            places.append(np.concatenate([self._points(int(g)) for g in
                                          np.flatnonzero(self._owner == hand)]))
        steps = [float(np.linalg.norm(after - before, axis=1).max())
                 for before, after in itertools.pairwise(places)]
        return list(zip(widths, [*steps, steps[-1]]))

    def _apart(self, g: int, h: int, joints: range, width: float, moved_m: float) -> bool:
        """Whether two shapes stay apart, with `joints` between them."""
        limits, posture = self._arm.limits, np.array(self._arm.home)
        self._place(posture, width)
        levers, between = self._levers(h, joints), np.zeros(6)
        boxes = [[(limits.lower[j], limits.upper[j]) for j in joints]]
        for _ in range(MOST_LOOKS):
            if not boxes:
                return True
            box = boxes.pop()
            posture[joints] = [(low + high) / 2 for low, high in box]
            self._place(posture, width)
            room = mujoco.mj_geomDistance(self._model, self._data, g, h, FAR_M, between)
            room -= moved_m + SLACK_M
            moves = [lever * (high - low) / 2 for lever, (low, high) in zip(levers, box)]
            if room > sum(moves):
                continue
            if room <= 0 or sum(moves) < FINEST_M:
                return False
            k = int(np.argmax(moves))
            low, high = box[k]
            boxes += [[*box[:k], half, *box[k + 1:]]
                      for half in ((low, (low + high) / 2), ((low + high) / 2, high))]
        return False

    def _levers(self, h: int, joints: range) -> list[float]:
        """How far (m) a point of a shape can be from the axis of each of the joints before it."""
        bodies = [self._data.body(self._arm.frame(self.called[j + 1])) for j in joints]
        origins = [body.xpos for body in bodies]
        axes = [body.xmat.reshape(3, 3)[:, 2] for body in bodies]
        points = self._points(h)
        centre = origins[-1] + axes[-1] * ((points.mean(axis=0) - origins[-1]) @ axes[-1])
        levers = [float(np.linalg.norm(np.cross(points - origins[-1], axes[-1]), axis=1).max())]
        for origin, axis in zip(origins[-2::-1], axes[-2::-1]):  # one at most
            levers.insert(0, float(np.linalg.norm(np.cross(centre - origin, axis))
                                   + np.linalg.norm(points - centre, axis=1).max()))
        return levers

    def _points(self, g: int) -> FloatArray:
        """Points (N, 3) of which a shape is the convex hull, or around it."""
        model, data = self._model, self._data
        corners = np.array(list(itertools.product((-1, 1), repeat=3)))
        if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH:
            first = model.mesh_vertadr[model.geom_dataid[g]]
            points = model.mesh_vert[first:first + model.mesh_vertnum[model.geom_dataid[g]]]
        elif model.geom_type[g] == mujoco.mjtGeom.mjGEOM_BOX:
            points = corners * model.geom_size[g]
        else:
            points = corners * model.geom_rbound[g]
        return np.asarray(points @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g])

    def _place(self, posture: FloatArray, width: float | None = None) -> None:
        self._data.qpos[self._joints] = posture
        if width is not None:
            for name, value in finger_positions(self._arm, width).items():
                self._data.joint(name).qpos[:] = value
        mujoco.mj_kinematics(self._model, self._data)
