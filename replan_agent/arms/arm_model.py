"""What an arm is: its kinematics, its limits, its shapes, its hand and its names, as one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.trajectory import JointLimits

from .arm_names import base_frame

Vector = tuple[float, float, float]


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


Part = Capsule | Box


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


class ClosedForm(Protocol):
    """All inverse-kinematics solutions of one arm, by formulas."""

    @property
    def name(self) -> str: ...

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
    """Collision shapes (m): of the base and each link in its own frame, of hand and finger.

    `finger_outline` is a finger as a camera may see it, with margins except towards its pad.
    """

    links: tuple[tuple[Part, ...], ...]
    hand: tuple[Part, ...]
    finger: tuple[Part, ...]
    finger_outline: Box


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
    finger: Inertia
    armature: tuple[float, ...]  # kg m²: the motor's inertia at the joint
    joint_damping: float  # N m s/rad
    stiffness: tuple[float, ...]  # of the servos, N m/rad
    servo_damping: tuple[float, ...]  # N m s/rad
    gripper_stiffness: float  # N/m, on the width between the pads
    gripper_damping: float  # N s/m
    grasp_target_m: float  # below zero: even a thin object gets the full force
    finger_armature: float  # kg, at each finger
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
    closed_form: ClosedForm | None
    prove: Callable[[FloatArray], ReachabilityProof] | None  # whether a pose (4, 4) is in reach
    mounts: tuple[tuple[Vector, tuple[float, float, float, float]], ...]
    flange_m: float  # the last joint to the flange, along z
    hand_yaw: float  # rad, of the hand about the flange's z
    home: tuple[float, ...]  # rad
    home_tcp: Vector  # the TCP there, m
    look_postures: tuple[tuple[str, tuple[float, ...]], ...]  # rad; the hand sees the table there
    shoulder: Vector  # m
    span_m: float  # no farther from the shoulder does the hand get
    hand: HandShape
    shapes: ArmShapes
    camera: HandCamera
    max_load_kg: float  # in the hand
    dynamics: Dynamics
    looks: ArmLooks
    trajectory_action: str  # of its controller: FollowJointTrajectory
    gripper_action: str

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
    def finger_names(self) -> tuple[str, str]:
        """The joints of the fingers."""
        return self.frame('finger_joint1'), self.frame('finger_joint2')

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
        fingers = {f'{side}finger': hand @ Pose((0, sign * gripper_width / 2,
                                                 self.hand.finger_frame_m), turn).matrix()
                   for side, sign, turn in (('left', 1, (1.0, 0, 0, 0)),
                                            ('right', -1, (0.0, 0, 0, 1)))}
        return {**links, 'hand': hand, 'hand_tcp': frames[-1], **fingers}
