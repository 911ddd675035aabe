# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The truth behind the sentences about one attempt, from the log."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.failure import Attempt
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.task_result import TaskResult
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec

from .physics_log import ArmTouch, PhysicsLog, Told

SIDES = 400  # from which a mesh is measured
HAND_M = 0.12  # the hand reaches this far to the sides of where it works

@dataclass(frozen=True)
class Facts:
    """The truth behind the sentences of one result. `told` is the attempt that they are about."""

    log: PhysicsLog
    result: TaskResult
    told: Told
    target: str  # the thing that the task is about
    blame: frozenset[str] = frozenset()
    near_m: float = 0.005  # how exact a length must be; with a camera 0.010

    @property
    def attempt(self) -> Attempt:
        return self.told.attempt

    @property
    def thing(self) -> str:
        """What the failed step is about: 'it', 'the object', 'the target'."""
        named = (self.true(value) for value in self.attempt.args.values()
                 if isinstance(value, str))
        return next((name for name in named if name and name != 'table'), self.target)

    @property
    def handled(self) -> str:
        """What the fingers work on: what they hold before the step, or what it is about."""
        return self.true(self.attempt.evidence.get('held') or '') or self.thing

    @property
    def place(self) -> tuple[float, float] | None:
        """The point that the failed step is about."""
        x, y = (self.attempt.args.get(axis) for axis in ('x', 'y'))
        return (float(x), float(y)) if x is not None and y is not None else None

    def true(self, name: str) -> str:
        """The true name of what is called so; '' if nothing is. An own name comes first."""
        return min(self.meanings(name), default='')

    def meanings(self, name: str) -> set[str]:
        """All that is called so in this attempt: a look may show several things as one."""
        meant = self.log.meanings(name, self.told.since, self.told.until)
        return {name} if name in meant or name == 'table' else meant

    def meant(self, word: str | None) -> str:
        """What a sentence calls so; what is no name ('it') is what the step is about."""
        true = self.true(word or '')
        return true if true and true != 'table' else self.thing

    def spec(self, name: str) -> ObjectSpec:
        return next(p.spec for p in self.log.world.placed if p.spec.name == self.meant(name))

    def is_near(self, said: float, true: float, share: float = 0.05) -> bool:
        return abs(said - true) <= max(self.near_m, share * abs(true))

    def at(self, name: str) -> tuple[float, float, float]:
        return self.log.position(self.meant(name), [*self.log.during(-1.0, self.told.until)][-1])

    def shift(self, name: str, whole: bool = False) -> FloatArray:
        """How far (m) it is now from where it was in this attempt, or ever."""
        return np.zeros(1) if self.spec(name).fixed else self.log.shifts(
            self.meant(name), 0.0 if whole else self.told.since, self.told.until)

    def was_shown(self) -> bool:
        """Whether the last look of this attempt shows the object of its step, by any name."""
        looks = [shows for at, shows in self.log.looks if at <= self.told.until]
        return bool(looks) and any(self.thing in meant for meant in looks[-1].values())

    def by_another(self, name: str) -> bool:
        return any(h.what == 'another' and h.name == self.true(name) and h.time <= self.told.until
                   for h in self.log.happened)

    def fault(self, part: str) -> bool:
        return any(h.what == 'fault' and h.name == part for h in self.log.happened)

    def is_stuck(self, spec: ObjectSpec) -> bool:
        """Whether it is glued to the table, or part of it."""
        return spec.fixed or self.fault(spec.name)

    def touched(self, ever: bool = False) -> set[str]:
        """What the arm, or what it holds, touched in the step of this attempt, or ever so far."""
        return {t.body for t in self._touches(ever)}

    def struck(self) -> set[str]:
        """What the arm touched in the step beside its work: all but fingers on their object."""
        return {t.body for t in self._touches() if t.body != self.handled or not t.of_finger}

    def is_gripper_blocked(self) -> bool:
        """Whether it has a fault, or a finger touched something beside its object."""
        return self.fault('gripper') or any(
            t.of_finger and t.body != self.handled for t in self._touches())

    def is_proved(self) -> bool:
        """Whether the bound of the arm's inverse kinematics proves that it has no such posture."""
        ik = self.attempt.ik
        return ik is not None and ik.reachability is Reachability.PROVED_UNREACHABLE

    def is_at_edge(self) -> bool:
        """Whether a part of what the step is about is within a hand of the table's edge."""
        table = next(o for o in self.log.world.true_objects() if o.name == 'table')
        off = np.abs(np.subtract(self.at(self.thing)[:2], table.position[:2]))
        spare = np.asarray(table.size[:2]) / 2 - off - self.half()
        return bool(spare.min() < HAND_M)

    def fingers_on_it(self) -> set[str]:
        """The fingers that touched the object of the step in this attempt."""
        return {t.part for t in self._by_fingers()}

    def slid_m(self) -> float:
        """How far (m) the object of the step moved in the hand while both fingers touched it."""
        arm, by, parts = self.log.world.arm, self._by_fingers(), self.fingers_on_it()
        if len(parts) < 2:
            return 0.0
        both = max(min(t.time for t in by if t.part == part) for part in parts)
        states = [*self.log.during(both, by[-1].time)]
        tools = [arm.kinematics.forward(q[:arm.joint_count]) for q in states]
        off = [T[:3, :3].T @ np.subtract(self.log.position(self.handled, q), T[:3, 3])
               for T, q in zip(tools, states)]
        return float(np.linalg.norm(np.ptp(off, axis=0))) if off else 0.0

    def _by_fingers(self) -> list[ArmTouch]:
        return [t for t in self._touches() if t.of_finger and t.body == self.handled]

    def _touches(self, ever: bool = False) -> list[ArmTouch]:
        return [t for t in self.log.touches if (t.of_arm or t.part == self.handled)
                and (0.0 if ever else self.told.began) <= t.time <= self.told.until]

    def states(self, ever: bool = False) -> list[FloatArray]:
        """The world at each moment of this attempt, or ever so far."""
        return [*self.log.during(0.0 if ever else self.told.since, self.told.until)]

    def track(self, name: str, ever: bool = False) -> FloatArray:
        """Where (m) a thing was at each moment of this attempt, or ever so far."""
        return np.array([self.log.position(self.meant(name), q) for q in self.states(ever)])

    def tools(self, ever: bool = False) -> FloatArray:
        """Where (m) the tool was at each moment of this attempt, or ever so far."""
        arm = self.log.world.arm
        return np.array([arm.kinematics.forward(q[:arm.joint_count])[:3, 3]
                         for q in self.states(ever)])

    def widths(self) -> FloatArray:
        return self.log.widths(self.told.since, self.told.until)

    def gaps(self, one: str, other: str) -> list[float]:
        """How far (m) two things are from each other, before this attempt and after it."""
        return [self.log.gap(self.meant(one), self.meant(other), at)
                for at in (self.told.since, self.told.until)]

    def reach(self) -> tuple[float, float]:
        return reach_m(self.log.world.arm, round(self.at(self.thing)[2], 2), round(self.lean(), 1))

    def lean(self) -> float:
        """How far (rad) the hand leans outwards in the grasp that was tried."""
        if self.attempt.ik is None:
            return 0.0
        target = self.attempt.ik.target
        x, y, z = target.rotation[:, 2]
        ox, oy, _ = target.position
        return math.atan2((x * ox + y * oy) / (math.hypot(ox, oy) or 1.0), -z)

    def away(self) -> float:
        """How far (m) what the step is about is from the base."""
        return math.hypot(*(self.place or self.at(self.thing)[:2]))

    def is_away(self, said: float, ever: bool = False) -> bool:
        """Whether that is so far (m) from the base, or was in this attempt, or ever."""
        ways = [self.away()] if self.place else np.hypot(*self.track(self.thing, ever)[:, :2].T)
        return bool(np.min(np.abs(np.subtract(ways, said))) <= self.half() + 0.01)

    def half(self) -> float:
        return max(self.spec(self.thing).size) / 2

    def from_above(self, name: str) -> list[float]:
        """The widths (m) of a thing as it lies, seen from above: of a box its sides."""
        spec = self.spec(name)
        if not spec.pieces:
            return [*spec.size[:2]]
        turned = self.log.rotation(spec.name, [*self.log.during(-1.0, self.told.until)][-1])
        way = np.radians(np.arange(180))
        corners = _corners(spec.pieces) @ turned.T
        return [*map(float, np.ptp(corners[:, :2] @ np.stack([np.cos(way), np.sin(way)]), axis=0))]

    def narrowest(self, name: str) -> float:
        """m, from any side."""
        spec = self.spec(name)
        return thickness(Piece.around(_corners(spec.pieces))) if spec.pieces else min(spec.size)

    def extents(self, name: str) -> list[float]:
        """The widths (m) of a thing: along its axes, and across; of a mesh from every side."""
        spec = self.spec(name)
        x, y, z = spec.size
        return [*widths_of(spec.pieces)] if spec.pieces else [x, y, z, math.hypot(x, y)]


@cache
def widths_of(pieces: tuple[Piece, ...]) -> tuple[float, ...]:
    """How wide (m) a mesh is from many sides, and how thin each of its pieces is."""
    way = np.arange(SIDES) + 0.5
    up, turn = 1 - 2 * way / SIDES, way * math.pi * (1 + math.sqrt(5))  # evenly on a sphere
    sides = np.stack([*(np.sqrt(1 - up ** 2) * f(turn) for f in (np.cos, np.sin)), up])
    return *map(float, np.ptp(_corners(pieces) @ sides, axis=0)), *map(thickness, pieces)


def thickness(piece: Piece) -> float:
    """m, at its thinnest."""
    return float(np.ptp(piece.corners @ piece.planes[:, :3].T, axis=0).min())


def _corners(pieces: tuple[Piece, ...]) -> FloatArray:
    return np.concatenate([piece.corners for piece in pieces])


@cache
def reach_m(arm: ArmModel, height: float, lean: float = 0.0) -> tuple[float, float]:
    """How far (m) the tool gets from the base at a height: leaning (rad) so, and in any way."""
    leaning, free = ([away for away, up in zip(*found) if abs(up - height) < 0.01]
                     for found in (_leaning(arm, lean), _free(arm)))
    return max(leaning, default=0.0), max(free, default=0.0)


@cache
def _free(arm: ArmModel) -> tuple[FloatArray, FloatArray]:
    """How far and how high (m) the tool is, in postures of all kinds."""
    return _away_and_up(_tools(arm, _turned(arm, *_angles(arm, 40))))


@cache
def _leaning(arm: ArmModel, lean: float) -> tuple[FloatArray, FloatArray]:
    """How far and how high (m) the tool is, in postures in which it leans so (rad)."""
    shoulder, elbow, wrist = _angles(arm, 150)
    flat = _turned(arm, shoulder, elbow, wrist[:1])
    tool = _tools(arm, flat)
    tilt = np.arctan2(tool[:, 0, 2], -tool[:, 2, 2])  # 0 if it points down
    leaning = []
    for sign in (-1, 1):
        q = flat.copy()
        q[:, 5] += sign * (tilt - lean)
        q = q[(q[:, 5] >= arm.limits.lower[5]) & (q[:, 5] <= arm.limits.upper[5])]
        tools = _tools(arm, q)
        up = -tools[:, 2, 2] * math.cos(lean) + tools[:, 0, 2] * math.sin(lean)
        leaning.append(tools[up > 0.999])
    return _away_and_up(np.concatenate(leaning))


def _angles(arm: ArmModel, n: int) -> list[FloatArray]:
    """So many angles (rad) of each of the three joints that lift the arm."""
    return [np.linspace(arm.limits.lower[k], arm.limits.upper[k], n) for k in (1, 3, 5)]


def _away_and_up(tools: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.hypot(tools[:, 0, 3], tools[:, 1, 3]), tools[:, 2, 3]


def _turned(arm: ArmModel, *angles: FloatArray) -> FloatArray:
    """Every combination of the angles (rad) of the three joints that lift the arm."""
    q = np.zeros((math.prod(map(len, angles)), arm.joint_count))
    q[:, (1, 3, 5)] = np.stack(np.meshgrid(*angles), axis=-1).reshape(-1, 3)
    return q


def _tools(arm: ArmModel, joints: FloatArray) -> FloatArray:
    return np.asarray(arm.kinematics.link_frames(joints)[:, -1])
