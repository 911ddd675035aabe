# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where an arm may be: the tool inside the workspace box, every part outside keep-out zones.

Checks whole trajectories from joint angles alone. It needs no scene and no planner, so it holds
for every motion, no matter who planned it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from replan_agent.arms.arm_model import ArmModel, Capsule, Hull, Kinematics, Part
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.geometry.keep_out import keep_out_zones

from .motion_protocols import CollisionChecker, Contact, FoundContact, MotionRequest

LARGEST_STEP = 0.02  # rad between two checked configurations
SPACING_M = 0.03  # between the balls that model a part of the arm
SLACK_M = 1e-4
TOOL, EDGE = 'tool', 'the edge of the workspace'


@dataclass(frozen=True)
class Balls:
    """A part of the arm as balls: centres (n, 3) in the frame of that index, and radii (m)."""

    name: str
    frame: int
    centres: FloatArray
    radii: FloatArray


class Envelope:
    """The limits of a cell. Raises ConfigError if a zone in `keep_out` is written wrongly."""

    def __init__(self, arm: ArmModel, workspace: WorkspaceConfig,
                 eye_in_hand: bool = False) -> None:
        self._kinematics = arm.kinematics
        self._zones = keep_out_zones(workspace)
        self._parts = parts_of(arm, eye_in_hand) if self._zones else ()
        self._low = np.array([workspace.x_min, workspace.y_min, workspace.z_min])
        self._high = np.array([workspace.x_max, workspace.y_max, workspace.z_max])

    def violation(self, trajectory: JointTrajectory) -> str:
        """Why the motion must not be made, in a sentence; '' if it may.

        A motion that begins outside may only lead back in.
        """
        times, joints = sampled(trajectory)
        leaves = self._tool_leaves(times, self._kinematics.forward(joints)[:, :3, 3])
        return leaves or (self._part_enters(times, joints) if self._zones else '')

    def tool_margin(self, positions: FloatArray) -> FloatArray:
        """How far (m) inside the box each position (..., 3) is; negative outside."""
        return np.asarray(np.minimum(positions - self._low, self._high - positions).min(axis=-1))

    def _tool_leaves(self, times: FloatArray, positions: FloatArray) -> str:
        k = first_escape(self.tool_margin(positions))
        if k is None:
            return ''
        beyond = np.maximum(self._low - positions[k], positions[k] - self._high)
        axis = int(beyond.argmax())
        low = positions[k][axis] < self._low[axis]
        limit = (self._low if low else self._high)[axis]
        name = f'{"xyz"[axis]}_{"min" if low else "max"}'
        return (f'{times[k]:.1f} s into the motion the tool would be at '
                f'{"xyz"[axis]}={positions[k][axis]:.3f} m, outside the workspace '
                f'({name}={limit:g} m)')

    def _part_enters(self, times: FloatArray, joints: FloatArray) -> str:
        frames = self._kinematics.link_frames(joints)
        for zone in self._zones:
            for part in self._parts:
                gaps = _gaps(part, frames[:, part.frame], zone)
                k = first_escape(gaps)
                if k is not None:
                    return (f'{times[k]:.1f} s into the motion the {part.name} would be '
                            f'{-gaps[k]:.3f} m inside {zone.name}')
        return ''


class BoundedChecker(CollisionChecker):
    """A collision checker that also keeps away from the edge of the workspace."""

    def __init__(self, checker: CollisionChecker, arm: ArmModel,
                 workspace: WorkspaceConfig) -> None:
        self._checker, self._kinematics = checker, arm.kinematics
        self._envelope = Envelope(arm, replace(workspace, keep_out=()))
        self._can_leave = self._envelope.tool_margin(_farthest(arm.kinematics)).min() < 0
        self._bounded = self._can_leave

    def use(self, request: MotionRequest) -> None:
        self._bounded = self._can_leave and (TOOL, EDGE) not in request.allowed_contacts
        self._checker.use(request)

    def first_contact(self, joints: FloatArray) -> Contact | None:
        found = self.first_among(np.asarray(joints)[None])
        return found and found[1]

    def clearance(self, joints: FloatArray) -> float:
        return self._checker.clearance(joints)

    def first_among(self, postures: FloatArray) -> FoundContact | None:
        """The first that leaves the workspace or touches something before that."""
        touched = self._checker.first_among
        if not self._bounded:
            return touched(postures)
        forward = self._kinematics.forward  # for one posture, it is faster without a batch
        tools = forward(postures[0])[None] if len(postures) == 1 else forward(postures)
        margins = self._envelope.tool_margin(tools[:, :3, 3])
        outside = np.flatnonzero(margins < 0)
        if not len(outside):
            return touched(postures)
        k = int(outside[0])
        return touched(postures[:k]) or (k, Contact(TOOL, EDGE, float(margins[k]), at_edge=True))


def _farthest(kinematics: Kinematics) -> FloatArray:
    """The corners of a box around all that the tool could reach if no joint had a limit."""
    origins = kinematics.link_frames((kinematics.limits.lower + kinematics.limits.upper) / 2)
    steps = np.diff(origins[:, :3, 3], axis=0, prepend=0.0)
    reach_m = float(np.linalg.norm(steps, axis=1).sum())
    return np.array([[-reach_m] * 3, [reach_m] * 3])


class ZonedChecker(CollisionChecker):
    """A collision checker that adds the keep-out zones to every scene."""

    def __init__(self, checker: CollisionChecker, zones: tuple[SceneObject, ...]) -> None:
        self._zones = zones
        self._zone_names = {zone.name for zone in zones}
        self._checker = checker

    def with_zones(self, request: MotionRequest) -> MotionRequest:
        """The same request, with the zones among the objects of its scene."""
        scene = replace(request.scene, objects=(*request.scene.objects, *self._zones))
        return replace(request, scene=scene)

    def use(self, request: MotionRequest) -> None:
        self._checker.use(self.with_zones(request))

    def first_contact(self, joints: FloatArray) -> Contact | None:
        contact = self._checker.first_contact(joints)
        return contact and self._named(contact)

    def clearance(self, joints: FloatArray) -> float:
        return self._checker.clearance(joints)

    def first_among(self, postures: FloatArray) -> FoundContact | None:
        found = self._checker.first_among(postures)
        return found and (found[0], self._named(found[1]))

    def _named(self, contact: Contact) -> Contact:
        """The contact. A zone is in the way, but it is not an object of the scene."""
        if self._zone_names.isdisjoint(contact.blockers):
            return contact
        return replace(contact, blockers=tuple(
            name for name in contact.blockers if name not in self._zone_names))


def sampled(trajectory: JointTrajectory, largest_step: float = LARGEST_STEP
            ) -> tuple[FloatArray, FloatArray]:
    """The times and joints of a trajectory, with extra points in steps above that (rad)."""
    positions, times = trajectory.positions, trajectory.times
    steps = np.abs(np.diff(positions, axis=0)).max(axis=1, initial=0.0)
    pieces = np.maximum(1, np.ceil(steps / largest_step)).astype(int)
    index = np.arange(len(times), dtype=float)
    ends = pieces.cumsum()
    done = np.arange(1, ends[-1] + 1) - np.repeat(ends - pieces, pieces) if len(ends) else ends
    shares = np.append(0.0, np.repeat(index[:-1], pieces) + done / np.repeat(pieces, pieces))
    joints = [np.interp(shares, index, positions[:, j]) for j in range(positions.shape[1])]
    return np.interp(shares, index, times), np.stack(joints, axis=1)


def first_escape(margins: FloatArray) -> int | None:
    """The first sample that is outside (negative), unless the motion only leads back in."""
    best = np.minimum(np.maximum.accumulate(margins), 0.0)
    outside = np.flatnonzero(margins < best - SLACK_M)
    return int(outside[0]) if len(outside) else None


def _gaps(part: Balls, frames: FloatArray, zone: SceneObject) -> FloatArray:
    """The gap (m) between a part and a zone at each sample; negative inside."""
    centres = np.einsum('nij,kj->nki', frames[:, :3, :3], part.centres) + frames[:, None, :3, 3]
    beyond = np.abs(centres - zone.position) - np.asarray(zone.size) / 2
    distance = (np.linalg.norm(np.maximum(beyond, 0.0), axis=-1)
                + np.minimum(beyond.max(axis=-1), 0.0))
    return np.asarray((distance - part.radii).min(axis=1))


def _along(start: FloatArray, end: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    count = 1 + int(np.ceil(np.linalg.norm(end - start) / SPACING_M))
    return np.linspace(start, end, count), np.full(count, radius)


def _ball(part: Part) -> tuple[FloatArray, FloatArray]:
    if isinstance(part, Capsule):
        return _along(np.array(part.start), np.array(part.end), part.radius)
    part = part.box if isinstance(part, Hull) else part
    half, centre = np.array(part.size) / 2, np.array(part.centre)
    radius = float(half.min())
    axes = [np.linspace(-h + radius, h - radius, 1 + int(np.ceil(2 * (h - radius) / SPACING_M)))
            for h in half]
    centres = centre + np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3)
    return centres, np.full(len(centres), radius)


def _named(name: str, frame: int, shapes: list[tuple[FloatArray, FloatArray]],
           offset_m: float = 0.0) -> Balls:
    centres = np.concatenate([c for c, _ in shapes])
    centres[:, 2] += offset_m
    return Balls(name, frame, centres, np.concatenate([r for _, r in shapes]))


def parts_of(arm: ArmModel, eye_in_hand: bool) -> tuple[Balls, ...]:
    """The links that can move, the hand with its fingers as one block, and a camera on it.

    The balls of the hand are in the TCP's frame, which comes after the links and the flange.
    """
    hand, frame = arm.hand, arm.joint_count + 1
    links = [_named(f'link{i}', i - 1, list(map(_ball, shapes)))
             for i, shapes in enumerate(arm.shapes.links) if i]
    fingers = _along(np.array([0.0, 0.0, hand.tcp_m - hand.palm_above_tcp_m]),
                     np.array([0.0, 0.0, hand.tcp_m + (hand.tip_beyond_tcp_m
                                                       - hand.half_finger_m)]),
                     hand.half_finger_m)
    block = _named('hand', frame, [*map(_ball, arm.shapes.hand), fingers], -hand.tcp_m)
    if not eye_in_hand:
        return (*links, block)
    camera = _named('camera on the hand', frame, [_ball(arm.camera.body)], -hand.tcp_m)
    return (*links, block, camera)
