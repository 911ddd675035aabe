"""A camera on the hand: its pose comes from the arm's encoders."""

from __future__ import annotations

from dataclasses import dataclass, replace

from replan_agent.domain import hand_camera
from replan_agent.domain.context import Context
from replan_agent.domain.part_failed import checked_frame
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.motion.motion_protocols import Kinematics
from replan_agent.robot.robot_protocols import Camera, SeenRobot


@dataclass(frozen=True)
class CameraOnHand:
    """Gives the pictures of `camera` the pose that follows from the joints at that moment."""

    camera: Camera
    robot: SeenRobot
    arm: Kinematics
    T_hand_camera: Pose = hand_camera.T_HAND_CAMERA

    def capture(self, ctx: Context) -> CameraFrame:
        frame = checked_frame(self.camera.capture(ctx))
        tcp = self.arm.forward(self.robot.state().joints)
        return replace(frame, T_base_camera=hand_camera.T_base_camera(tcp, self.T_hand_camera))
