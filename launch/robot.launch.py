"""A real Franka, its camera, MoveIt's move_group and the agent.

    ros2 launch replan_agent robot.launch.py use_fake_hardware:=true          # nothing moves
    ros2 launch replan_agent robot.launch.py robot_ip:=172.16.0.2 calibration:=camera.yaml

franka_ros2 and franka_description provide the arm's description, its hardware interface, its
gripper and its MoveIt configuration. Ours are the controllers (config/franka), the parameters of
the agent (config/robot.yaml) and the camera's pose. docs/real_robot.md leads to a first pick.
"""

from launch.actions import DeclareLaunchArgument, GroupAction, LogInfo, OpaqueFunction
from launch.launch_description_entity import LaunchDescriptionEntity
from launch_ros.actions import Node, SetRemap

from launch import LaunchContext, LaunchDescription
from replan_agent.ros.launching import launch_arguments as launching
from replan_agent.ros.launching.launch_arguments import Values, included, is_true

# Each of two arms has its own tree of frames with the same names.
PER_ARM = (('/tf', 'tf'), ('/tf_static', 'tf_static'), ('/diagnostics', 'diagnostics'))
CONTROLLER_MANAGER_S = '60'


def generate_launch_description() -> LaunchDescription:
    arguments = (
        ('robot_ip', '', 'address of the arm; needed unless use_fake_hardware'),
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
        ('use_moveit', 'true', "start Franka's move_group, for MoveIt's own tools"),
        ('rviz', 'false', 'true: also start RViz'),
    )
    return LaunchDescription([
        *launching.declared(arguments),
        DeclareLaunchArgument('robot_type', default_value='fr3', choices=['fr3'],
                              description="the arm's name in franka_ros2"),
        OpaqueFunction(function=_everything, args=[[name for name, *_ in arguments]]),
    ])


def _everything(context: LaunchContext, names: list[str]) -> list[LaunchDescriptionEntity]:
    value = launching.values(context, (*names, 'robot_type'), files=['params_file'],
                             files_if_given=['controllers_file', 'calibration',
                                             'hand_calibration'])
    if not (value['robot_ip'] or is_true(value['use_fake_hardware'])):
        raise ValueError('robot_ip: the address of the arm is needed, or use_fake_hardware:=true')
    own_names = [SetRemap(*names) for names in PER_ARM] if value['namespace'] else []
    window = [launching.rviz(value, value['robot_type'])] if is_true(value['rviz']) else []
    return [GroupAction([*own_names, *_arm(value), *_moveit(value), *_camera(value),
                         *_eye_in_hand(value), *window, launching.agent(value)])]


def _arm(value: Values) -> list[LaunchDescriptionEntity]:
    """Franka's bring-up, with our controllers."""
    file = 'fake_controllers.yaml' if is_true(value['use_fake_hardware']) else 'controllers.yaml'
    return [
        included('franka_bringup', 'franka.launch.py', {
            'robot_type': value['robot_type'], 'robot_ip': value['robot_ip'],
            'namespace': value['namespace'], 'load_gripper': 'true',
            'use_fake_hardware': value['use_fake_hardware'],
            'fake_sensor_commands': value['fake_sensor_commands'],
            'controllers_yaml': value['controllers_file'] or launching.config('franka', file)}),
        Node(package='controller_manager', executable='spawner', namespace=value['namespace'],
             arguments=[f'{value["robot_type"]}_arm_controller', '--controller-manager-timeout',
                        CONTROLLER_MANAGER_S], output='screen'),
    ]


def _moveit(value: Values) -> list[LaunchDescriptionEntity]:
    if not is_true(value['use_moveit']):
        return []
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
