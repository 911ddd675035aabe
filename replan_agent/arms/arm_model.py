# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an arm is: its kinematics, its limits, its shapes, its hand and its names, as one value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.hand_shape import HandShape, polynomial
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.trajectory import JointLimits
from replan_agent.text.setting import ConfigError

from .arm_names import base_frame

Vector = tuple[float, float, float]
Mount = tuple[Vector, tuple[float, float, float, float]]  # place and quaternion (w, x, y, z)


@dataclass(frozen=True)
class Capsule:
    """A cylinder with round ends between two points."""

    start: Vector
    end: Vector
    radius: float


@dataclass(frozen=True)
class Box:
    """A box given by its centre and full extents."""

    centre: Vector
    size: Vector


@dataclass(frozen=True)
class Hull:
    """The convex hull of these corners."""

    corners: tuple[Vector, ...]

    @property
    def box(self) -> Box:
        """The smallest box around it."""
        low, high = np.min(self.corners, axis=0), np.max(self.corners, axis=0)
        (x, y, z), (a, b, c) = ((low + high) / 2).tolist(), (high - low).tolist()
        return Box((x, y, z), (a, b, c))


Part = Capsule | Box | Hull


@dataclass(frozen=True)
class Inertia:
    """Mass (kg), centre of mass (m) and inertia (kg m²: xx yy zz xy xz yz) of a body."""

    mass: float
    centre: Vector
    tensor: tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class LinkSolid:
    """One visible solid: the name of its material, and its shape as MuJoCo describes one."""

    material: str
    shape: Mapping[str, str | Sequence[float]]


class Kinematics(Protocol):
    """A serial arm: forward kinematics of its tool centre point and the Jacobian."""

    @property
    def limits(self) -> JointLimits: ...

    def forward(self, joints: FloatArray) -> FloatArray:
        """T_base_tcp (4x4) at `joints`; a batch (..., n) gives (..., 4, 4)."""

    def link_frames(self, joints: FloatArray) -> FloatArray:
        """The frames of the links, then flange and TCP, in the base frame: (n + 2, 4, 4)."""

    def jacobian(self, joints: FloatArray) -> FloatArray:
        """Geometric Jacobian (6, n) in the base frame: linear rows first (m/rad), then angular."""


class Solutions(NamedTuple):
    """Every solution within the limits: `joints` (M, n) and the input row of each."""

    row: NDArray[np.intp]
    joints: FloatArray


@dataclass(frozen=True)
class ReachabilityProof:
    """The verdict; `witness` if reachable; `out_of_reach_m` if the arm is simply too short."""

    verdict: Reachability
    witness: FloatArray | None = None
    out_of_reach_m: float | None = None
    proof: str = ''
    elapsed_s: float = 0.0


class Branches(Protocol):
    """Inverse-kinematics solutions of one arm: all, by formulas, or those that are found."""

    @property
    def name(self) -> str: ...

    @property
    def tries(self) -> int:
        """How many starts of a search each pose gets; 0 for formulas."""

    def solve_nearest(self, T_base_tcp: FloatArray, near: FloatArray) -> FloatArray | None:
        """The solution of lowest `cost` for one pose (4, 4), or None."""

    def solve_nearest_batch(self, T_base_tcp: FloatArray,
                            near: FloatArray) -> list[FloatArray | None]:
        """For each pose (B, 4, 4) the solution of lowest `cost`, or None."""

    def solve_all_batch(self, T_base_tcp: FloatArray) -> Solutions:
        """Many solutions of each pose (B, 4, 4); the row of one is the number of its pose."""

    def cost(self, joints: FloatArray, near: FloatArray) -> FloatArray:
        """What a solution costs: far from `near` or close to a limit is more."""


@dataclass(frozen=True)
class ArmShapes:
    """Collision shapes (m) of base, links and hand, in their frames; the foot that they need."""

    links: tuple[tuple[Part, ...], ...]
    hand: tuple[Part, ...]
    foot: Box


@dataclass(frozen=True)
class FingerBody:
    """A body of the hand that moves, as far as the width between the pads says.

    Its joint, at the origin of its frame, has that value of a polynomial of the width (m). It may
    be a link that carries another. `outline` is what a camera may see of it, with margins except
    towards the pad.
    """

    name: str  # leftfinger and rightfinger have the pads
    parent: str  # hand, or another finger body
    T_parent: Pose  # in the parent, where its joint is 0
    joint: str
    axis: Vector
    slides: bool  # else it turns
    by_width: tuple[float, ...]
    inertia: Inertia
    shapes: tuple[Part, ...]
    pads: tuple[Box, ...]
    outline: tuple[Part, ...]

    def T_parent_body(self, width_m: float) -> FloatArray:
        value, T = polynomial(self.by_width, width_m), self.T_parent.matrix()
        if self.slides:
            T[:3, 3] += T[:3, :3] @ np.multiply(self.axis, value)
            return T
        x, y, z = (np.sin(value / 2) * np.asarray(self.axis)).tolist()
        return np.asarray(T @ Pose((0, 0, 0), (float(np.cos(value / 2)), x, y, z)).matrix())


@dataclass(frozen=True, eq=False)
class HandMap:
    """How the fingers follow the width between the pads, as it was measured.

    `command` is the polynomial of the width that the joints in `reads` follow, which the driver
    tells and is told: m or rad.
    """

    fingers: tuple[FingerBody, ...]  # parents first
    reads: tuple[str, ...]
    command: tuple[float, ...]
    max_width_m: float

    @property
    def is_straight(self) -> bool:
        """Whether all that moves are two fingers that slide by half the width each."""
        return all(body.slides and body.by_width == (0.0, 0.5) for body in self.fingers)

    def frames(self, width_m: float) -> dict[str, FloatArray]:
        """T_hand_body (4, 4) of each finger body."""
        found = {'hand': np.eye(4)}
        for body in self.fingers:
            found[body.name] = found[body.parent] @ body.T_parent_body(width_m)
        return {body.name: found[body.name] for body in self.fingers}

    def commanded(self, width_m: float) -> float:
        return polynomial(self.command, width_m)

    def width(self, readings: Iterable[float]) -> float:
        """The width (m) for the values of the joints in `reads`, or some of them."""
        widths = [self._width(value) for value in readings]
        return sum(widths) / max(len(widths), 1)

    def _width(self, value: float) -> float:
        if len(self.command) == 2:
            return (value - self.command[0]) / self.command[1]
        widths = np.linspace(0.0, self.max_width_m, 257)
        order = np.argsort(values := polynomial(self.command, widths))
        return float(np.interp(value, values[order], widths[order]))


@dataclass(frozen=True, eq=False)
class ArmRos:
    """What the arm's drivers call things over ROS. What is empty, they do not have."""

    trajectory_action: str  # FollowJointTrajectory
    gripper_action: str
    gripper: HandMap  # with the joints and positions that the driver has
    gripper_driver: str = 'gripper_command'
    joint_states: str = 'joint_states'
    finger_states: str = ''
    controller_manager: str = 'controller_manager'
    external_torques: str = ''
    driver_speed_scale: str = ''  # percent
    base: str = ''  # links of its description: where our base is, and one that carries the hand
    tool: str = ''
    frames: tuple[tuple[str, str, Pose], ...] = ()  # other links: name, our part, pose in it
    stop: tuple[object, ...] = ()  # services, which the package of the arm's file can call
    recover: tuple[object, ...] = ()
    bringup: tuple[str, str, Mapping[str, str]] | None = None  # package, launch file, arguments
    safety: object = None  # the topic of its own stops, which that package can read


@dataclass(frozen=True)
class HandCamera:
    """A depth camera on the hand: where it is mounted, its lens and its outline."""

    T_hand_camera: Pose  # optical: x right, y down, z ahead
    fovy_deg: float
    size_px: tuple[int, int]
    body: Box  # camera and bracket, in the hand's frame


@dataclass(frozen=True)
class Dynamics:
    """Masses, motors and servos for a simulator, joint by joint."""

    links: tuple[Inertia, ...]  # the base first
    hand: Inertia
    armature: tuple[float, ...]  # kg m²: the motor's inertia at the joint
    joint_damping: tuple[float, ...]  # N m s/rad
    stiffness: tuple[float, ...]  # of the servos, N m/rad
    servo_damping: tuple[float, ...]  # N m s/rad
    gripper_stiffness: float  # N/m, on the width between the pads
    gripper_damping: float  # N s/m
    grasp_target_m: float  # below zero: even a thin object gets the full force
    finger_armature: float  # kg, at each finger that slides, else at the width
    finger_damping: float  # N s/m


@dataclass(frozen=True, eq=False)
class ArmLooks:
    """What a simulator draws: materials (rgb) and solids by part."""

    materials: Mapping[str, Vector]
    parts: Mapping[str, tuple[LinkSolid, ...]]


@dataclass(frozen=True, eq=False)
class ArmModel:
    """One arm. The joints' frames follow each other as `mounts` says: (place, quaternion)."""

    name: str
    other_names: tuple[str, ...]  # that descriptions of others begin the names of frames with
    kinematics: Kinematics
    branches: Branches
    prove: Callable[[FloatArray], ReachabilityProof] | None  # whether a pose (4, 4) is in reach
    mounts: tuple[Mount, ...]
    T_link_hand: Pose  # the hand, z out of its palm and y across the fingers, in the last link
    home: tuple[float, ...]  # rad
    home_tcp: Vector  # the TCP there, m
    look_postures: tuple[tuple[str, tuple[float, ...]], ...]  # rad; the hand sees the table there
    shoulder: Vector  # m
    span_m: float  # no farther from the shoulder does the hand get
    hand: HandShape
    gripper: HandMap
    shapes: ArmShapes
    never_touch: tuple[tuple[str, str], ...]  # pairs of links, or a link and the hand
    hand_camera: HandCamera | None
    max_load_kg: float  # in the hand
    dynamics: Dynamics
    looks: ArmLooks
    ros: ArmRos

    @property
    def limits(self) -> JointLimits:
        return self.kinematics.limits

    @property
    def joint_names(self) -> tuple[str, ...]:
        return self.limits.names

    @property
    def joint_count(self) -> int:
        return len(self.home)

    @property
    def finger_names(self) -> tuple[str, ...]:
        """The joints of the fingers whose encoders tell the width."""
        return self.gripper.reads

    @property
    def camera(self) -> HandCamera:
        """That on the hand. Raises ConfigError if there is none."""
        if self.hand_camera is None:
            raise ConfigError(f'{self.name} has no camera on its hand: set robot.eye_in_hand to '
                              'false')
        return self.hand_camera

    @property
    def hand_parts(self) -> tuple[str, ...]:
        """The names of the bodies of its hand."""
        return 'hand', *(body.name for body in self.gripper.fingers)

    @property
    def carriers(self) -> dict[str, str]:
        """What carries each part of `body_frames`, and the first link: its parent in a tree."""
        chain = ('link0', *(f'link{i + 1}' for i in range(self.joint_count)), 'hand', 'hand_tcp')
        return dict(zip(chain[1:], chain)) | {b.name: b.parent for b in self.gripper.fingers}

    @property
    def base_frame(self) -> str:
        return base_frame(self.name)

    def frame(self, part: str) -> str:
        """The name of a part as in the arm's URDF: link0, hand, hand_tcp, leftfinger."""
        return f'{self.name}_{part}'

    def hand_frame(self, T_base_tcp: FloatArray) -> FloatArray:
        """T_base_hand (..., 4, 4)."""
        return T_base_tcp @ Pose((0, 0, -self.hand.tcp_m)).matrix()

    def T_base_camera(self, T_base_tcp: FloatArray, T_hand_camera: Pose | None = None) -> Pose:
        """The pose of the camera on the hand from that of the tool, which the encoders give."""
        mount = T_hand_camera or self.camera.T_hand_camera
        return Pose.from_matrix(self.hand_frame(np.asarray(T_base_tcp)) @ mount.matrix())

    def body_frames(self, joints: FloatArray, gripper_width: float) -> dict[str, FloatArray]:
        """Links, hand, tool and fingers in the base frame, by their names without the arm's."""
        frames = self.kinematics.link_frames(joints)
        links = {f'link{i}': frames[i - 1] for i in range(1, self.joint_count + 1)}
        hand = self.hand_frame(frames[-1])
        fingers = {name: hand @ T for name, T in self.gripper.frames(gripper_width).items()}
        return {**links, 'hand': hand, 'hand_tcp': frames[-1], **fingers}
