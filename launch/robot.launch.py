# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A real arm, its camera and the agent; for a Franka also MoveIt's move_group.

    ros2 launch replan_agent robot.launch.py use_fake_hardware:=true          # nothing moves
    ros2 launch replan_agent robot.launch.py robot_ip:=172.16.0.2 calibration:=camera.yaml
    ros2 launch replan_agent robot.launch.py arm:=ur5e robot_ip:=192.168.56.101

Without `arm` it is a Franka: franka_ros2 and franka_description provide its description, hardware
interface, gripper and MoveIt configuration, and ours are the controllers (config/franka). The file
of another arm (config/arms) says how its driver is started and what it calls things. The agent's
parameters (config/robot.yaml) and the camera's pose are ours. docs/real_robot.md leads to a first
pick.
"""

import tempfile
from pathlib import Path

from launch.actions import DeclareLaunchArgument, GroupAction, LogInfo, OpaqueFunction
from launch.launch_description_entity import LaunchDescriptionEntity
from launch_ros.actions import Node, SetRemap

from launch import LaunchContext, LaunchDescription
from replan_agent.arms.arm_model import ArmRos
from replan_agent.arms.arm_names import NEWEST_ARM
from replan_agent.arms.known_arms import arm_named
from replan_agent.ros.launching import launch_arguments as launching
from replan_agent.ros.launching.launch_arguments import Values, included, is_true

# Each of two arms has its own tree of frames with the same names.
PER_ARM = (('/tf', 'tf'), ('/tf_static', 'tf_static'), ('/diagnostics', 'diagnostics'))
CONTROLLER_MANAGER_S = '60'
FR3S = (NEWEST_ARM, 'fr3v2', 'fr3v2_1')  # as franka_ros2 calls them


def generate_launch_description() -> LaunchDescription:
    arguments = (
        ('robot_ip', '', 'address of the arm, if its bring-up is given one; not needed with '
                         'use_fake_hardware'),
        ('use_fake_hardware', 'false', 'true: simulated joints that follow commands, no arm'),
        ('fake_sensor_commands', 'false', 'passed to the fake hardware'),
        *launching.agent_arguments('robot.yaml', use_sim_time='false'),
        ('controllers_file', '', 'parameters of the controllers; empty: those of config/franka'),
        ('use_camera', 'true', 'start a RealSense; false: use another driver'),
        ('serial_no', '', 'serial number of the RealSense, if there is more than one'),
        ('calibration', '', 'YAML of replan-agent calibrate; empty: something else publishes '
                            'the camera pose'),
        ('hand_serial_no', '', 'with eye_in_hand: serial number of the RealSense on the hand'),
        ('hand_calibration', '', 'with eye_in_hand: YAML of replan-agent calibrate '
                                 '--eye-in-hand; empty: something else publishes the frame'),
        ('arm', '', 'any arm but a Franka: a name of config/arms, or the path of such a file; '
                    'robot_type does not count then'),
        ('use_moveit', 'true', "start Franka's move_group, for MoveIt's own tools; not with arm"),
        ('rviz', 'false', 'true: also start RViz'),
        ('doctor', 'true', 'nothing moves until replan_agent_doctor finds nothing wrong; '
                           'false, or use_fake_hardware: nobody looks'),
    )
    return LaunchDescription([
        *launching.declared(arguments),
        DeclareLaunchArgument('robot_type', default_value=NEWEST_ARM, choices=FR3S,
                              description="the arm's name in franka_ros2"),
        OpaqueFunction(function=_everything, args=[[name for name, *_ in arguments]]),
    ])


def _everything(context: LaunchContext, names: list[str]) -> list[LaunchDescriptionEntity]:
    value = launching.values(context, (*names, 'robot_type'), files=['params_file'],
                             files_if_given=['controllers_file', 'calibration',
                                             'hand_calibration'])
    ros = arm_named(value['arm']).ros if value['arm'] else None
    if _needs_address(ros) and not (value['robot_ip'] or is_true(value['use_fake_hardware'])):
        raise ValueError('robot_ip: the address of the arm is needed, or use_fake_hardware:=true')
    value |= ({'robot_type': value['arm'], 'base_frame': ros.base} if ros else
              {'names_file': launching.config('franka', 'names.yaml').perform(context)})
    value['doctor'] = str(is_true(value['doctor']) and not is_true(value['use_fake_hardware']))
    own_names = [SetRemap(*names) for names in PER_ARM] if value['namespace'] else []
    window = [launching.rviz(value, value['robot_type'])] if is_true(value['rviz']) else []
    arm = [*_franka(value), *_moveit(value)] if ros is None else _driver(value, ros)
    return [GroupAction([*own_names, *arm, *_camera(value), *_eye_in_hand(value), *window,
                         launching.agent(value)])]


def _needs_address(ros: ArmRos | None) -> bool:
    """Whether a bring-up that is started here is given the address."""
    return ros is None or ros.bringup is not None and any(
        '{robot_ip}' in said for said in ros.bringup[2].values())


def _driver(value: Values, ros: ArmRos) -> list[LaunchDescriptionEntity]:
    """The bring-up that the arm's file names, with our arguments in its own."""
    if ros.bringup is None:
        return [LogInfo(msg=f'{value["arm"]} names no bringup: its driver must run already')]
    package, file, arguments = ros.bringup
    knows_fake = any('{use_fake_hardware}' in said for said in arguments.values())
    if is_true(value['use_fake_hardware']) and not knows_fake:
        raise ValueError(f'use_fake_hardware: {file} of {package} has none, so the real '
                         f'{value["arm"]} would start; name an argument with '
                         "'{use_fake_hardware}' in ros.bringup.arguments, if there is one")
    return [included(package, file, {name: said.format(**value)
                                     for name, said in arguments.items()})]


def _franka(value: Values) -> list[LaunchDescriptionEntity]:
    """Franka's bring-up, with our controllers."""
    return [
        included('franka_bringup', 'franka.launch.py', {
            'robot_type': value['robot_type'], 'robot_ip': value['robot_ip'],
            'namespace': value['namespace'], 'load_gripper': 'true',
            'use_fake_hardware': value['use_fake_hardware'],
            'fake_sensor_commands': value['fake_sensor_commands'],
            'controllers_yaml': value['controllers_file'] or _controllers(value)}),
        Node(package='controller_manager', executable='spawner', namespace=value['namespace'],
             arguments=[f'{value["robot_type"]}_arm_controller', '--controller-manager-timeout',
                        CONTROLLER_MANAGER_S], output='screen'),
    ]


def _controllers(value: Values) -> str:
    """The file of our controllers, with the names that the joints of this arm have."""
    file = 'fake_controllers.yaml' if is_true(value['use_fake_hardware']) else 'controllers.yaml'
    source = Path(launching.config('franka', file).perform(LaunchContext()))
    if value['robot_type'] == NEWEST_ARM:
        return str(source)
    renamed = Path(tempfile.mkdtemp(prefix='replan_agent_'), file)
    renamed.write_text(source.read_text('utf-8').replace(
        f'{NEWEST_ARM}_', f'{value["robot_type"]}_'), 'utf-8')
    return str(renamed)


def _moveit(value: Values) -> list[LaunchDescriptionEntity]:
    if not is_true(value['use_moveit']):
        return []
    if value['robot_type'] != NEWEST_ARM:
        return [LogInfo(msg=f'franka_ros2 has no MoveIt configuration for {value["robot_type"]}: '
                            'move_group is not started')]
    return [included(f'franka_{value["robot_type"]}_moveit_config', 'move_group.launch.py', {
        'robot_ip': value['robot_ip'] or 'none', 'namespace': value['namespace'],
        'arm_prefix': '', 'load_gripper': 'true',
        'use_fake_hardware': value['use_fake_hardware'],
        'fake_sensor_commands': value['fake_sensor_commands']})]


def _camera(value: Values) -> list[LaunchDescriptionEntity]:
    """The camera's driver and pose."""
    started: list[LaunchDescriptionEntity] = []
    if is_true(value['use_camera']):
        started.append(_realsense(value, 'camera', value['serial_no']))
    if value['calibration']:
        started.append(Node(package='replan_agent_calibrate', executable='camera_pose_node',
                            namespace=value['namespace'], output='screen',
                            parameters=[value['params_file'], value['calibration']],
                            arguments=launching.enclave('camera_pose_node', value['namespace']),
                            **launching.respawned(value)))
    else:
        started.append(LogInfo(msg='no calibration: perception waits until something publishes '
                                   'the camera pose (topic camera/pose)'))
    return started


def _eye_in_hand(value: Values) -> list[LaunchDescriptionEntity]:
    """The driver of the camera on the hand, and its frame in that of the hand."""
    if not is_true(value['eye_in_hand']):
        return []
    started: list[LaunchDescriptionEntity] = []
    if is_true(value['use_camera']):
        started.append(_realsense(value, 'hand_camera', value['hand_serial_no']))
    if value['hand_calibration']:
        started.append(Node(package='replan_agent_calibrate', executable='camera_pose_node',
                            name='hand_camera_pose_node', namespace=value['namespace'],
                            output='screen', parameters=[
                                value['params_file'], value['hand_calibration'],
                                {'camera_pose': ''}],
                            arguments=launching.enclave('camera_pose_node', value['namespace']),
                            **launching.respawned(value)))
    return started


def _realsense(value: Values, name: str, serial_no: str) -> LaunchDescriptionEntity:
    number = {'serial_no': f"'{serial_no}'"} if serial_no else {}
    return included('realsense2_camera', 'rs_launch.py', {
        'camera_name': name, 'camera_namespace': value['namespace'],
        'align_depth.enable': 'true', 'enable_sync': 'true', 'publish_tf': 'false', **number})
