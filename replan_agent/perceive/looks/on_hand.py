"""A camera on the hand: its pose comes from the arm's encoders."""

from __future__ import annotations

from dataclasses import dataclass, replace

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.robot.robot_protocols import Camera, SeenRobot


@dataclass(frozen=True)
class CameraOnHand:
    """Gives the pictures of `camera` the pose that follows from the joints at that moment."""

    camera: Camera
    robot: SeenRobot
    arm: ArmModel
    T_hand_camera: Pose | None = None  # as mounted, if not as in the drawing

    def capture(self, ctx: Context) -> CameraFrame:
        frame = CameraFrame.checked(self.camera.capture(ctx))
        tcp = self.arm.kinematics.forward(self.robot.state().joints)
        return replace(frame, T_base_camera=self.arm.T_base_camera(tcp, self.T_hand_camera))
