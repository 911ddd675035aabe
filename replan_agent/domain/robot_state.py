# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The state of a robot, its answers to commands, and camera pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .cause import Cause
from .port_errors import PartFailed
from .pose import FloatArray, Pose
from .skill import Reason

NOT_FELT: FloatArray = np.zeros(0)


class CameraError(Exception):
    """The camera gives no picture. The message says why."""


@dataclass(frozen=True)
class RobotState:
    """Encoder and torque readings at `stamp` (robot time, s).

    `external_torque` is what the joints feel beyond the prediction of the arm's own model:
    contacts and the weight of a held object. It is zero in free motion.
    """

    stamp: float
    joints: FloatArray  # rad
    velocities: FloatArray  # rad/s
    gripper_width: float  # m between the finger pads
    gripper_force: float = 0.0  # N the fingers press with
    external_torque: FloatArray = field(default_factory=lambda: NOT_FELT)  # N·m

    def __post_init__(self) -> None:
        if self.external_torque is NOT_FELT:
            object.__setattr__(self, 'external_torque', np.zeros(len(self.joints)))


@dataclass(frozen=True)
class ContactGuard:
    """Stops a motion when a joint's external torque exceeds `threshold` (N·m).

    What was felt at the start of the motion does not count. An `expected` contact is the purpose
    of the motion, so it ends with success. Any other contact is `in_collision`. With `weights`,
    the sum of the torques with these factors is a force, and it ends above `force_n` (N) as well.
    """

    threshold: float = 10.0  # 1 kg in the gripper at full speed stays below
    expected: bool = False
    weights: tuple[float, ...] = ()  # 1/m
    force_n: float = 0.0

    def ended_by(self, contact: str, felt: FloatArray = NOT_FELT) -> CommandResult:
        """The result of a motion that ended at a contact. `contact` says where it was felt."""
        if self.expected:
            return CommandResult(True, detail=contact, contact=True)
        return CommandResult(False, Reason.IN_COLLISION, contact, contact=True,
                             cause=Cause.UNEXPECTED_CONTACT, felt=tuple(felt.tolist()))


@dataclass(frozen=True)
class CommandResult:
    """Whether the robot carried out a command. If not, `reason`, `cause` and `detail` say why.

    `detail` is for people. `contact`: the motion ended early because its guard felt a contact. A
    robot feels that something is in the way, but not what it is. `short_of_goal`: the motion ran
    to its end, but the arm came to rest beside its goal. `felt` is the change of each joint's
    torque (N·m) at the contact, if the robot tells it.
    """

    success: bool
    reason: Reason | None = None
    detail: str = ''
    contact: bool = False
    cause: Cause | None = None
    short_of_goal: bool = False
    felt: tuple[float, ...] = ()


@dataclass(frozen=True)
class CameraFrame:
    """One picture: RGB (h, w, 3 uint8), depth (h, w, m; 0 if unknown).

    `T_base_camera` follows the optical convention: x right, y down, z into the picture.
    """

    stamp: float
    rgb: FloatArray
    depth: FloatArray
    intrinsics: FloatArray  # 3x3 K
    T_base_camera: Pose
    own: bool = False  # of a simulated camera that its scene file describes

    @staticmethod
    def checked(returned: object) -> CameraFrame:
        """The picture that a camera returned. Raises PartFailed if it would be read wrongly."""
        if not isinstance(returned, CameraFrame):
            raise PartFailed.by_return('camera: capture', 'a CameraFrame', returned)
        rgb, depth = np.asarray(returned.rgb), np.asarray(returned.depth)
        if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8:
            raise PartFailed('camera: the colours of a picture must be (height, width, 3) of '
                             f'uint8, not {rgb.shape} of {rgb.dtype}')
        if depth.shape != rgb.shape[:2]:
            raise PartFailed(f'camera: the depth of a picture must be {rgb.shape[:2]} as its '
                             f'colours are, not {depth.shape}')
        if not math.isfinite(returned.stamp):
            raise PartFailed(f'camera: the stamp of a picture is no number: {returned.stamp}')
        return returned
