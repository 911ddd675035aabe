# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interfaces of motion planning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory


@dataclass(frozen=True)
class MotionRequest:
    """What a motion may assume: the scene to avoid and the intended contacts.

    `clearance_m` is the distance to keep from everything else. `gripper_width` (m) is how far the
    gripper will be open, if not as in the scene. `speed` is a share of the configured speed.
    """

    scene: Scene
    allowed_contacts: tuple[tuple[str, str], ...] = ()
    clearance_m: float = 0.0
    gripper_width: float | None = None
    speed: float = 1.0


@dataclass(frozen=True)
class Contact:
    """Two parts that touch or are closer than the clearance. A negative distance is penetration.

    `blockers` are those of the two that are objects of the scene and not held. The names alone do
    not tell: an object may be called `gripper`.
    """

    first: str
    second: str
    distance_m: float
    blockers: tuple[str, ...] = ()
    at_edge: bool = False  # the tool is outside the workspace

    def __str__(self) -> str:
        gap = f'{abs(self.distance_m) * 1000:.1f} mm'
        if self.at_edge:
            return f'the {self.first} is {gap} outside the workspace'
        if self.distance_m <= 0:
            return f'{self.first} is {gap} inside {self.second}'
        return f'{self.first} comes within {gap} of {self.second}'


FoundContact = tuple[int, Contact]  # the number of the posture, and what touches


class CollisionChecker(Protocol):
    """Finds contacts. The motion planner uses it for every configuration that it samples."""

    def use(self, request: MotionRequest) -> None:
        """From now on, check against these perceived objects, with these allowances."""

    def first_contact(self, joints: FloatArray) -> Contact | None:
        """The closest pair within the clearance at `joints`, or None if it is free."""

    def clearance(self, joints: FloatArray) -> float:
        """Distance (m) of the closest pair that must not touch, up to the detection limit."""

    def first_among(self, postures: FloatArray) -> FoundContact | None:
        """The first of these postures (N, joints) that is not free; None if all are."""
        for k, joints in enumerate(postures):
            contact = self.first_contact(joints)
            if contact is not None:
                return k, contact
        return None


@dataclass(frozen=True)
class MotionOutcome:
    """A trajectory, or the reason why there is none. `detail` is for people.

    `blockers` names the objects of the scene that are in the way, if known.
    """

    trajectory: JointTrajectory | None
    reason: Reason | None = None
    detail: str = ''
    ik: IKReport | None = None
    cause: Cause | None = None
    blockers: tuple[str, ...] = ()


def blocked_by(contact: Contact, where: str,
               reason: Reason = Reason.IN_COLLISION) -> MotionOutcome:
    """No motion, because of a contact. `where` begins the sentence about it."""
    if contact.at_edge:
        return MotionOutcome(None, Reason.WORKSPACE_VIOLATION, f'{where} {contact}',
                             cause=Cause.WORKSPACE_VIOLATION)
    return MotionOutcome(None, reason, f'{where} {contact}', cause=Cause.APPROACH_BLOCKED,
                         blockers=contact.blockers)


@dataclass(frozen=True)
class IKOutcome:
    """Joint angles that reach the target, or None with a report that says why not.

    `report` is None if the solve succeeded.
    """

    joints: FloatArray | None
    report: IKReport | None = None


@dataclass(frozen=True)
class Postures:
    """Joint angles that reach a target. If all of them touch something, `contact` says what.

    If there are neither postures nor a contact, the target is out of reach.
    """

    joints: tuple[FloatArray, ...]
    contact: Contact | None = None


class MotionPlanner(Protocol):
    """Plans from given joints. It never moves anything."""

    def forward(self, joints: FloatArray) -> Pose:
        """T_base_tcp."""

    def solve_ik(self, target: Pose, near: FloatArray) -> IKOutcome:
        """The solution nearest to `near` that keeps clear of the joint limits."""

    def postures(self, target: Pose, near: FloatArray, request: MotionRequest) -> Postures:
        """Different ways to reach a target without touching anything, nearest to `near` first."""

    def postures_of_each(self, targets: Sequence[tuple[Pose, MotionRequest]],
                         near: FloatArray) -> Iterator[Postures]:
        """`postures` of each target, in order. Faster than one by one."""

    def to_joints(self, start: FloatArray, goal: FloatArray, request: MotionRequest,
                  ctx: Context) -> MotionOutcome:
        """A joint-space motion around obstacles."""

    def to_pose(self, start: FloatArray, target: Pose, request: MotionRequest,
                ctx: Context) -> MotionOutcome:
        """A joint-space motion to the easiest posture at `target`."""

    def straight(self, start: FloatArray, target: Pose, request: MotionRequest,
                 ctx: Context) -> MotionOutcome:
        """A straight line of the tool centre point all the way to the end, or a failure."""


class GraspKind(str, Enum):
    """How the hand approaches the object, in the order of preference."""

    TOP_DOWN = 'top-down'
    TILTED = 'tilted'
    SIDE = 'side'
    RIM = 'rim'


@dataclass(frozen=True)
class Grasp:
    """One way to take an object: where the tool centre point goes, and how far to open.

    The hand comes along the TCP's z axis. `width` is how far apart the pads are when they hold
    the object (m). A lower `tier` is always better; within a tier, a higher `score` is better.
    """

    kind: GraspKind
    tier: int
    tcp: Pose
    opening: float
    width: float
    score: float
    label: str


class GraspPlanner(Protocol):
    def candidates(self, thing: SceneObject, scene: Scene) -> Iterator[Grasp]:
        """Ways to grasp, tier by tier and best first, generated on demand."""

    def narrowest_width(self, thing: SceneObject) -> float:
        """The least opening (m) at which the pads could pass the object."""
