"""What a robot tells of itself and answers to a command."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .cause import Cause
from .franka import JOINTS
from .pose import FloatArray, Pose
from .skill import Reason


class CameraError(Exception):
    """No picture can be had; the message says why."""


@dataclass(frozen=True)
class RobotState:
    """Encoder and torque readings at `stamp` (robot time, s).

    `external_torque` is what the joints feel beyond what the arm's own model predicts (Franka:
    `tau_ext_hat_filtered`): the weight of what is held, and contacts; nothing in free motion.
    """

    stamp: float
    joints: FloatArray  # rad
    velocities: FloatArray  # rad/s
    gripper_width: float  # m between the finger pads
    gripper_force: float = 0.0  # N the fingers press with
    external_torque: FloatArray = field(default_factory=lambda: np.zeros(JOINTS))  # N·m


@dataclass(frozen=True)
class ContactGuard:
    """Stop a motion where a joint's external torque exceeds `threshold` (N·m).

    What was felt when the motion began does not count. An `expected` contact is what the motion
    is for, so ending at one is success; any other is `in_collision`.
    """

    threshold: float = 10.0  # a kilogram in the hand at full speed stays below
    expected: bool = False

    def ended_by(self, contact: str) -> CommandResult:
        """The result of a motion that ended at a contact; the sentence says where it was felt."""
        if self.expected:
            return CommandResult(True, detail=contact, contact=True)
        return CommandResult(False, Reason.IN_COLLISION, contact, contact=True,
                             cause=Cause.UNEXPECTED_CONTACT)


@dataclass(frozen=True)
class CommandResult:
    """Whether the robot did as told; `reason`, `cause` and `detail` when it did not.

    `detail` is for people. `contact`: the motion ended early, where its guard felt a contact. A
    robot feels that something is in the way, never what.
    """

    success: bool
    reason: Reason | None = None
    detail: str = ''
    contact: bool = False
    cause: Cause | None = None


@dataclass(frozen=True)
class CameraFrame:
    """One picture: RGB (h, w, 3 uint8), depth (h, w, m; 0 where there is none).

    `T_base_camera` follows the optical convention: x right, y down, z into the picture.
    """

    stamp: float
    rgb: FloatArray
    depth: FloatArray
    intrinsics: FloatArray  # 3x3 K
    T_base_camera: Pose
