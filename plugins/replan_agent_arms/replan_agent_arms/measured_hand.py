# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A hand led from open to closed: where its joints and pads are at each width between the pads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.text.setting import ConfigError, key_path

from .compiled import HINGE, Compiled, inverse, matrix
from .sidecar import ArmFile
from .tool_frame import tool_frame

SAMPLES, DEGREE = 33, 4
MOST_PAD_M = 0.024
USUAL_M = 0.04  # the tool centre point is between the pads when they are this far apart
SNAP = math.cos(math.radians(15))
TOLD_M, LARGEST_ERROR_M = 0.002, 0.0005
TOOL_M = 0.1  # from the hand's frame to a tool centre point that the sidecar says
ROUNDED = 0.01  # of a joint's range: so far may a position be outside of it
STILL = 0.1  # of the other finger's way: a finger that moves less is none
QUIET = (int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
         | int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS))


@dataclass(frozen=True)
class Group:
    """Bodies that are one piece; `joint` moves them, None: the palm."""

    joint: int | None
    bodies: tuple[int, ...]
    pads: tuple[int, ...] = ()  # geoms


@dataclass(frozen=True, eq=False)
class MeasuredHand:
    """`T_world_hand`: z out of the palm, y from the second finger's pads to the first one's."""

    compiled: Compiled
    root: int | None  # the body where the hand begins, if it is part of the arm's model
    palm: Group
    fingers: tuple[Group, ...]  # parents first
    driver: int
    T_world_hand: FloatArray
    tcp_m: float
    widths: FloatArray  # (SAMPLES,) falling
    values: FloatArray  # (SAMPLES, fingers): the joints there
    drops: FloatArray  # (SAMPLES,): the middle of the pads beyond the TCP

    @cached_property
    def laws(self) -> FloatArray:
        """Polynomials (powers, fingers) of the width for the joints, lowest power first."""
        return self.fitted(self.values)

    def fitted(self, values: FloatArray) -> FloatArray:
        """A polynomial of the width, or one for each column, lowest power first."""
        scale = float(self.widths.max())
        found = np.polynomial.polynomial.polyfit(self.widths / scale, values, DEGREE)
        return np.asarray((found.T / scale ** np.arange(DEGREE + 1)).T)

    def at(self, width: float) -> dict[int, float]:
        """The joints of the hand at a width."""
        values = np.polynomial.polynomial.polyval(np.array([width]), self.laws)
        return {group.joint: float(value) for group, value in zip(self.fingers, values[:, 0])
                if group.joint is not None}


def measured_hand(compiled: Compiled, file: ArmFile, own_model: bool) -> MeasuredHand:
    """The hand of the sidecar, in a model of its own or in the arm's. Raises ConfigError."""
    where, said = str(file.path), file.said.gripper
    pads = tuple(_pad_geoms(compiled, names, key_path(where, 'gripper.pads'))
                 for names in said.pads)
    driver = compiled.joint(said.joint, key_path(where, 'gripper.joint'))
    root = _root(compiled, pads) if not own_model else None
    palm, fingers = _groups(compiled, root, pads, where)
    if driver not in [group.joint for group in fingers]:
        raise ConfigError(f'{key_path(where, "gripper.joint")}: {said.joint} is not a joint of '
                          'the hand: it carries none of the pads nor their links')
    for key, value in (('open', said.open), ('closed', said.closed)):
        _check_range(compiled, driver, value, key_path(where, f'gripper.{key}'))
    motion = _Motion(compiled, file, driver, [g.joint for g in fingers if g.joint is not None])
    driven = np.linspace(said.open, said.closed, SAMPLES)
    values = motion.along(driven)
    mount = np.eye(4) if root is None else compiled.body_pose(root)
    T_hand, tcp_m = _hand_frame(compiled, file, motion, values, pads, mount)
    widths, _ = _faces(motion, values, pads, T_hand)
    _check_both_move(motion, values, pads, where)
    _check_closing(widths, where)
    if widths[-1] < 0:  # the pads meet before the end
        meet = float(np.interp(0.0, widths[::-1], driven[::-1]))
        values = motion.along(np.linspace(said.open, meet, SAMPLES))
        widths, _ = _faces(motion, values, pads, T_hand)
        widths[-1] = 0.0
    elif widths[-1] > TOLD_M:
        compiled.text.note(f'the closed pads are {1000 * widths[-1]:.1f} mm apart')
    _, middles = _faces(motion, values, pads, T_hand)
    hand = MeasuredHand(compiled, root, palm, fingers, driver, T_hand, tcp_m, widths, values,
                        middles[:, 2] - tcp_m)
    _check_fit(hand, motion, pads, where)
    return hand


class _Motion:
    """Where the other joints of a hand are when its driver is somewhere."""

    def __init__(self, compiled: Compiled, file: ArmFile, driver: int, joints: list[int]) -> None:
        self.compiled, self.joints, self._driver = compiled, joints, driver
        where, model = str(file.path), compiled.model
        names = {joint: model.joint(joint).name for joint in joints}
        self._factors = {driver: (1.0, 0.0)}
        follow = dict(file.said.gripper.follow or {})
        for name in follow:
            key = key_path(where, 'gripper.follow')
            if compiled.joint(name, key) not in joints:
                raise ConfigError(f'{key}: {name} is no joint of the hand; it has: '
                                  f'{", ".join(names.values())}')
        for _ in joints:  # a joint may follow one that follows
            for joint, name in names.items():
                mimic = compiled.text.mimics.get(name)
                if joint in self._factors:
                    continue
                if name in follow:
                    self._factors[joint] = follow[name]
                elif mimic is not None and compiled.joints.get(mimic.joint) in self._factors:
                    factor, offset = self._factors[compiled.joints[mimic.joint]]
                    self._factors[joint] = (mimic.factor * factor,
                                            mimic.factor * offset + mimic.offset)
        self._free = [joint for joint in joints if joint not in self._factors]
        self._where = where
        model.opt.disableflags |= QUIET
        model.opt.jacobian = int(mujoco.mjtJacobian.mjJAC_DENSE)

    def along(self, driven: FloatArray) -> FloatArray:
        """The joints (N, joints) while the driver goes along these values."""
        rows, free = [], np.zeros(len(self._free))
        for value in driven:
            known = {joint: factor * float(value) + offset
                     for joint, (factor, offset) in self._factors.items()}
            free = self._closed(known, free)
            known |= dict(zip(self._free, map(float, free)))
            rows.append([known[joint] for joint in self.joints])
        return np.array(rows)

    def _closed(self, known: dict[int, float], free: FloatArray) -> FloatArray:
        """The free joints with which the model's loops are closed."""
        if not self._free:
            return free
        model, data = self.compiled.model, self.compiled.data
        columns = [int(model.jnt_dofadr[joint]) for joint in self._free]
        for _ in range(50):
            self.compiled.move(known | dict(zip(self._free, map(float, free))))
            mujoco.mj_fwdPosition(model, data)
            equal = np.flatnonzero(data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY))
            J = np.reshape(data.efc_J, (-1, model.nv))[equal][:, columns]
            rank = np.linalg.matrix_rank(J, tol=1e-4) if len(equal) else 0
            if rank < len(columns):
                loose = int(np.abs(J).max(axis=0, initial=0.0).argmin())
                name = model.joint(self._free[loose]).name
                raise ConfigError(
                    f'{key_path(self._where, "gripper.follow")}: {self.compiled.path.name} does '
                    f'not say how {name} moves when the hand closes; for example: follow: '
                    f'{{{name}: 1.0}}')
            change = np.linalg.lstsq(J, -np.asarray(data.efc_pos)[equal], rcond=None)[0]
            free = free + np.clip(change, -0.2, 0.2)
            if np.abs(change).max() < 1e-10:
                break
        return free

    def put(self, values: FloatArray) -> None:
        self.compiled.move(dict(zip(self.joints, map(float, values))))


def _pad_geoms(compiled: Compiled, names: tuple[str, ...], where: str) -> tuple[int, ...]:
    found: list[int] = []
    for name in names:
        if name in compiled.geoms:
            found.append(compiled.geoms[name])
        elif name in compiled.bodies:
            found += compiled.shapes([compiled.bodies[name]])
        else:
            raise compiled.unknown('geom, body or link', name,
                                   (*compiled.geoms, *compiled.bodies), where)
    if not found:
        raise ConfigError(f'{where}: {", ".join(names)} has no shape; name a link with a '
                          '<collision>')
    return tuple(found)


def _root(compiled: Compiled, pads: tuple[tuple[int, ...], ...]) -> int:
    """The body that carries all pads."""
    lines = [compiled.parents(int(compiled.model.geom_bodyid[geom])) for side in pads
             for geom in side]
    return next(body for body in lines[0] if all(body in line for line in lines))


def _groups(compiled: Compiled, root: int | None, pads: tuple[tuple[int, ...], ...],
            where: str) -> tuple[Group, tuple[Group, ...]]:
    model = compiled.model
    bodies = compiled.below(root or 0)
    moved = [b for b in bodies if b and b != root and model.body_jntnum[b]]
    for body in moved:
        if model.body_jntnum[body] > 1:
            raise ConfigError(f'{compiled.path}: <body name="{model.body(body).name}"> has two '
                              'joints; give each of them a body of its own')
    palm = tuple(b for b in compiled.below(root or 0, moved) if b)
    fingers = []
    for body in moved:
        mine = compiled.below(body, moved)
        fingers.append(Group(int(model.body_jntadr[body]), tuple(mine),
                             tuple(g for side in pads for g in side
                                   if int(model.geom_bodyid[g]) in mine)))
    for side in pads:
        for geom in side:
            if not any(geom in group.pads for group in fingers):
                raise _still(model, geom, where)
    return Group(None, palm), tuple(fingers)


def _hand_frame(compiled: Compiled, file: ArmFile, motion: _Motion, values: FloatArray,
                pads: tuple[tuple[int, ...], ...], mount: FloatArray) -> tuple[FloatArray, float]:
    """T_world_hand, and how far the TCP is along its z."""
    motion.put(values[0])
    first, second = (np.concatenate([compiled.corners(g) for g in side]).mean(axis=0)
                     for side in pads)
    closing = (first - second) / max(float(np.linalg.norm(first - second)), 1e-9)
    out = (first + second) / 2 - mount[:3, 3]
    out = out - (out @ closing) * closing
    out = out / max(float(np.linalg.norm(out)), 1e-9)
    axes = mount[:3, :3].T
    z = next((sign * axis for axis in axes for sign in (1, -1) if sign * (axis @ out) > SNAP), out)
    y = next((sign * axis for axis in axes for sign in (1, -1) if sign * (axis @ closing) > SNAP),
             closing)
    y = y - (y @ z) * z
    y = y / np.linalg.norm(y)
    turn = np.column_stack([np.cross(y, z), y, z])
    T = matrix(turn, mount[:3, 3])
    widths, middles = _faces(motion, values, pads, T)
    usual = min(USUAL_M, float(widths.max()) / 2)
    middle = middles[int(np.abs(widths - usual).argmin())]
    T[:3, 3] += turn @ [middle[0], middle[1], 0.0]
    tcp_m, tool = float(middle[2]), file.said.tool
    if tool is not None:
        motion.put(values[0])
        T = tool_frame(compiled, tool, T @ Pose((0, 0, tcp_m)).matrix(),
                       key_path(str(file.path), 'tool'))
        return T @ Pose((0, 0, -TOOL_M)).matrix(), TOOL_M
    return T, tcp_m


def _faces(motion: _Motion, values: FloatArray, pads: tuple[tuple[int, ...], ...],
           T_hand: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The widths between the pads (N,) and the middles between them (N, 3), in the hand's frame.

    Of long pads the part at the tips counts: with it small things are taken from a table.
    """
    to_hand = inverse(T_hand)
    widths, middles = [], []
    for row in values:
        motion.put(row)
        left, right = (np.concatenate([motion.compiled.corners(g) for g in side])
                       @ to_hand[:3, :3].T + to_hand[:3, 3] for side in pads)
        inner = left[:, 1].min(), right[:, 1].max()
        widths.append(inner[0] - inner[1])
        low, high = (np.minimum(left.min(axis=0), right.min(axis=0)),
                     np.maximum(left.max(axis=0), right.max(axis=0)))
        used = min(high[2] - low[2], MOST_PAD_M)
        middles.append([(low[0] + high[0]) / 2, sum(inner) / 2, high[2] - used / 2])
    return np.array(widths), np.array(middles)


def _check_closing(widths: FloatArray, where: str) -> None:
    if np.ptp(widths) < TOLD_M:
        raise ConfigError(f'{key_path(where, "gripper.closed")}: from open to closed the pads '
                          f'stay {round(1000 * widths[0], 1) + 0.0:.1f} mm apart; if both fingers '
                          'go to the same side, turn the sign of one in gripper.follow, or of '
                          'the multiplier in its <mimic>; else check joint, open and closed')
    if widths[0] < TOLD_M:
        raise ConfigError(f'{key_path(where, "gripper.open")}: the pads touch there: they are '
                          f'{1000 * widths[0]:.1f} mm apart; swap open and closed')
    if widths[-1] > widths[0] - TOLD_M:
        raise ConfigError(f'{key_path(where, "gripper.closed")}: from open to closed the pads go '
                          f'from {1000 * widths[0]:.0f} to {1000 * widths[-1]:.0f} mm apart; they '
                          'must come closer: check joint, open, closed and pads')
    if np.any(np.diff(widths) > 1e-5):
        raise ConfigError(f'{key_path(where, "gripper.closed")}: on the way from open to closed '
                          'the pads come closer and part again; name the positions where they are '
                          'widest and closest')


def _check_range(compiled: Compiled, joint: int, value: float, where: str) -> None:
    """Raise ConfigError for a position that the joint of the hand does not have."""
    low, high = map(float, compiled.model.jnt_range[joint])
    beyond = max(low - value, value - high)
    if compiled.model.jnt_limited[joint] and beyond > ROUNDED * (high - low):
        name = compiled.model.joint(joint).name
        raise ConfigError(f'{where}: {value:g} is outside of the range of {name} in '
                          f'{compiled.path.name}, {low:g} to {high:g}; write a number in it')


def _check_both_move(motion: _Motion, values: FloatArray, pads: tuple[tuple[int, ...], ...],
                     where: str) -> None:
    """Raise ConfigError if the pads of one finger stay where they are."""
    model, places = motion.compiled.model, []
    for row in values[0], values[-1]:
        motion.put(row)
        places.append([np.concatenate([motion.compiled.corners(g) for g in side]).mean(axis=0)
                       for side in pads])
    moved = np.linalg.norm(np.array(places[1]) - places[0], axis=1)
    still = int(moved.argmin())
    if moved[still] < STILL * moved.max():
        raise _still(model, pads[still][0], where)


def _still(model: mujoco.MjModel, geom: int, where: str) -> ConfigError:
    name = model.body(int(model.geom_bodyid[geom])).name
    return ConfigError(f'{key_path(where, "gripper.pads")}: a pad is on {name}, which does not '
                       'move when the hand closes; name pads of two moving fingers')


def _check_fit(hand: MeasuredHand, motion: _Motion, pads: tuple[tuple[int, ...], ...],
               where: str) -> None:
    """Raise ConfigError if polynomials of the width are no good map of this hand."""
    fits = np.asarray(np.polynomial.polynomial.polyval(hand.widths, hand.laws).T, dtype=float)
    widths, middles = _faces(motion, fits, pads, hand.T_world_hand)
    off = max(float(np.abs(widths - hand.widths).max()),
              float(np.abs(middles[:, 2] - hand.tcp_m - hand.drops).max()))
    if off > LARGEST_ERROR_M:
        raise ConfigError(f'{key_path(where, "gripper.joint")}: the pads do not move smoothly '
                          f'enough: a polynomial of the width is {1000 * off:.1f} mm off; name '
                          'the joint that drives the hand, and follow for those that move with it')


def is_hinge(compiled: Compiled, joint: int) -> bool:
    return int(compiled.model.jnt_type[joint]) == HINGE
