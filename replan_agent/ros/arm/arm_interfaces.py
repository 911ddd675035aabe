"""What the drivers of an arm and a camera are called, and how long to wait for them.

The defaults are what franka_ros2 and the simulation offer; each is a parameter of the same name.
"""

from __future__ import annotations

from dataclasses import dataclass

from replan_agent.domain.config import setting


@dataclass(frozen=True)
class ArmNames:
    joint_states: str = setting('joint_states', 'topic of the arm and finger joints')
    finger_states: str = setting('', 'topic of the finger joints; empty: as joint_states')
    trajectory_action: str = setting('', 'FollowJointTrajectory action; empty: '
                                     'panda_arm_controller/follow_joint_trajectory')
    gripper_action: str = setting('', "the gripper's action; with gripper_driver franka, move, "
                                  'grasp and homing beside it; empty: '
                                  'panda_gripper/gripper_action')
    external_torques: str = setting(
        'franka_robot_state_broadcaster/external_joint_torques',
        'JointState topic whose effort is what the joints feel from outside (N·m); empty: the '
        'arm does not feel contacts')

    def trajectory_of(self, model: str) -> str:
        return self.trajectory_action or f'{model}_arm_controller/follow_joint_trajectory'

    def gripper_of(self, model: str) -> str:
        return self.gripper_action or f'{model}_gripper/gripper_action'


@dataclass(frozen=True)
class ArmInterfaces(ArmNames):
    """The names, and what is asked of those who answer to them."""

    server_timeout: float = setting(5.0, 'longest wait for an answer of a driver, s', 0.1, 60)
    state_max_age: float = setting(1.0, 'a joint state that arrived longer ago is stale, s',
                                   0.05, 10)
    driver_silence: float = setting(3.0, 'a driver that tells no joint state for this long while '
                                    'the arm moves is lost, s', 0.1, 60)
    standstill_speed: float = setting(0.01, 'an arm whose joints are all slower stands still, '
                                      'rad/s', 1e-4, 0.5)
    standstill_timeout: float = setting(5.0, 'longest wait for standstill, s', 0.1, 60)
    start_tolerance: float = setting(0.02, 'a motion is refused when a joint is further from its '
                                     'start, rad', 1e-4, 0.5)
    path_tolerance: float = setting(0.1, 'of each joint on the way, rad; 0: as the controller is '
                                    'configured', 0, 0.5)
    goal_tolerance: float = setting(0.01, 'of each joint at the end of a motion, rad', 1e-4, 0.5)
    goal_time_tolerance: float = setting(2.0, 'how late a motion may arrive, s', 0.1, 60)
    gripper_driver: str = setting(
        'gripper_command', 'how the gripper is commanded: control_msgs/GripperCommand (the '
        'position is that of one finger, m), control_msgs/ParallelGripperCommand, or franka_msgs '
        'Move and Grasp', choices=('gripper_command', 'parallel_gripper', 'franka'))
    gripper_speed: float = setting(0.05, 'of the fingers, with gripper_driver franka, m/s',
                                   0.001, 0.1)
    controller_manager: str = setting(
        'controller_manager', 'node that tells whether the controller is active, asked before '
        'each motion where it is there; empty: nobody is asked')
    franka_state: str = setting(
        '', "franka_msgs/FrankaRobotState topic that tells of reflexes, the user stop and the "
        "arm's other errors; empty: none")
    error_recovery: str = setting('action_server/error_recovery',
                                  "franka_msgs/ErrorRecovery action that clears the arm's errors")

    def gripper_actions_of(self, model: str) -> tuple[str, ...]:
        """Those that the gripper may be busy with; Franka's are named move, grasp and homing."""
        action = self.gripper_of(model)
        if self.gripper_driver != 'franka':
            return (action,)
        driver = action.rsplit('/', 1)[0]
        return tuple(f'{driver}/{name}' for name in ('move', 'grasp', 'homing'))


@dataclass(frozen=True)
class CameraInterfaces:
    color_image: str = setting('camera/color/image_raw', 'topic of the colour images')
    depth_image: str = setting('camera/depth/image_rect_raw',
                               'topic of the depth images, registered to the colour images')
    camera_info: str = setting('camera/color/camera_info', 'topic of the intrinsics')
    camera_pose: str = setting('camera/pose', "latched topic of the camera's pose; empty: from "
                               'the transforms of /tf and /tf_static')
    camera_timeout: float = setting(5.0, 'longest wait for a picture, s', 0.1, 60)
    camera_slop: float = setting(0.02, 'largest time between colour and depth, s', 0, 1)
