"""What a robot tells of itself and answers to a command."""

from __future__ import annotations

from dataclasses import dataclass

from .pose import FloatArray, Pose
from .skill import Reason


@dataclass(frozen=True)
class RobotState:
    """Encoder readings at `stamp` (robot time, s)."""

    stamp: float
    joints: FloatArray  # rad
    velocities: FloatArray  # rad/s
    gripper_width: float  # m between the finger pads
    gripper_force: float = 0.0  # N the fingers press with


@dataclass(frozen=True)
class CommandResult:
    """Whether the robot did as told; `reason` and `detail` when it did not."""

    success: bool
    reason: Reason | None = None
    detail: str = ''


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
