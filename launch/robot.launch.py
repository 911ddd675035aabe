"""A real Franka, its camera, MoveIt's move_group and the agent.

    ros2 launch replan_agent robot.launch.py use_fake_hardware:=true          # nothing moves
    ros2 launch replan_agent robot.launch.py robot_ip:=172.16.0.2 calibration:=camera.yaml

The arm's description, its hardware interface, its gripper and its MoveIt configuration are those
of franka_ros2 and franka_description. Ours are the controllers (config/franka), the parameters of
the agent (config/robot.yaml) and the camera's pose. docs/real_robot.md is the way to a first pick.
"""

from pathlib import Path

from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
)
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node, SetRemap
from launch_ros.substitutions import FindPackageShare

from launch import LaunchContext, LaunchDescription

Values = dict[str, str]

AGENT = Path(__file__).with_name('agent.launch.py')
FOR_AGENT = ('namespace', 'use_sim_time', 'params_file', 'log_level', 'planner', 'perception',
             'model', 'vlm_base_url', 'robot_type')
# Of two arms each has its own tree of frames, whose names are the same.
PER_ARM = (('/tf', 'tf'), ('/tf_static', 'tf_static'), ('/diagnostics', 'diagnostics'))
CONTROLLER_MANAGER_S = '60'


def generate_launch_description() -> LaunchDescription:
    share = FindPackageShare('replan_agent')
    as_in_file = 'empty: as in params_file'
    arguments = (
        ('robot_ip', '', 'address of the arm; needed unless use_fake_hardware'),
        ('use_fake_hardware', 'false', 'true: joints that only follow commands, no arm'),
        ('fake_sensor_commands', 'false', 'passed to the fake hardware'),
        ('namespace', '', 'namespace of all nodes'),
        ('params_file', PathJoinSubstitution([share, 'config', 'robot.yaml']),
         'parameters of the agent'),
        ('controllers_file', '', 'parameters of the controllers; empty: those of config/franka'),
        ('use_sim_time', 'false', 'whether time comes from /clock'),
        ('log_level', 'info', 'debug, info, warn, error or fatal'),
        ('planner', '', f'stub or vlm; {as_in_file}'),
        ('perception', '', f'camera; {as_in_file}'),
        ('model', '', f'name of the vision-language model; {as_in_file}'),
        ('vlm_base_url', '', f'OpenAI-compatible endpoint of the model; {as_in_file}'),
        ('use_camera', 'true', 'start a RealSense; false: another driver does its part'),
        ('serial_no', '', 'of the RealSense, where there is more than one'),
        ('calibration', '', 'YAML of replan-agent calibrate; empty: something else tells '
                            'where the camera is'),
        ('use_moveit', 'true', "start Franka's move_group, for MoveIt's own tools"),
        ('rviz', 'false', 'true: also start RViz'),
    )
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in arguments),
        DeclareLaunchArgument('robot_type', default_value='fr3', choices=['fr3'],
                              description='the arm, in the words of franka_ros2'),
        OpaqueFunction(function=_everything, args=[[name for name, *_ in arguments]]),
    ])


def _everything(context: LaunchContext, names: list[str]) -> list[LaunchDescriptionEntity]:
    value = {name: LaunchConfiguration(name).perform(context) for name in (*names, 'robot_type')}
    _check(value)
    own_names = [SetRemap(*names) for names in PER_ARM] if value['namespace'] else []
    return [GroupAction([
        *own_names, *_arm(value), *_moveit(value), *_camera(value), *_rviz(value),
        IncludeLaunchDescription(PythonLaunchDescriptionSource(str(AGENT)),
                                 launch_arguments=[(name, value[name]) for name in FOR_AGENT]),
    ])]


def _check(value: Values) -> None:
    """Refuse what cannot work before anything is started."""
    if not (value['robot_ip'] or _is_true(value['use_fake_hardware'])):
        raise ValueError('robot_ip: the address of the arm is needed, or use_fake_hardware:=true')
    for name in ('params_file', 'controllers_file', 'calibration'):
        if value[name] and not Path(value[name]).is_file():
            raise FileNotFoundError(f'{name}: no file {value[name]}')


def _arm(value: Values) -> list[LaunchDescriptionEntity]:
    """Franka's bring-up, with our controllers."""
    file = 'fake_controllers.yaml' if _is_true(value['use_fake_hardware']) else 'controllers.yaml'
    ours = PathJoinSubstitution([FindPackageShare('replan_agent'), 'config', 'franka', file])
    return [
        _included('franka_bringup', 'franka.launch.py', {
            'robot_type': value['robot_type'], 'robot_ip': value['robot_ip'],
            'namespace': value['namespace'], 'load_gripper': 'true',
            'use_fake_hardware': value['use_fake_hardware'],
            'fake_sensor_commands': value['fake_sensor_commands'],
            'controllers_yaml': value['controllers_file'] or ours}),
        Node(package='controller_manager', executable='spawner', namespace=value['namespace'],
             arguments=[f'{value["robot_type"]}_arm_controller', '--controller-manager-timeout',
                        CONTROLLER_MANAGER_S], output='screen'),
    ]


def _moveit(value: Values) -> list[LaunchDescriptionEntity]:
    if not _is_true(value['use_moveit']):
        return []
    return [_included(f'franka_{value["robot_type"]}_moveit_config', 'move_group.launch.py', {
        'robot_ip': value['robot_ip'] or 'none', 'namespace': value['namespace'],
        'arm_prefix': '', 'load_gripper': 'true',
        'use_fake_hardware': value['use_fake_hardware'],
        'fake_sensor_commands': value['fake_sensor_commands']})]


def _camera(value: Values) -> list[LaunchDescriptionEntity]:
    """The driver, and where the camera is."""
    started: list[LaunchDescriptionEntity] = []
    if _is_true(value['use_camera']):
        number = {'serial_no': f"'{value['serial_no']}'"} if value['serial_no'] else {}
        started.append(_included('realsense2_camera', 'rs_launch.py', {
            'camera_name': 'camera', 'camera_namespace': value['namespace'],
            'align_depth.enable': 'true', 'enable_sync': 'true', 'publish_tf': 'false', **number}))
    if value['calibration']:
        started.append(Node(package='replan_agent', executable='camera_pose_node',
                            namespace=value['namespace'], output='screen',
                            parameters=[value['params_file'], value['calibration']]))
    else:
        started.append(LogInfo(msg='no calibration: perception waits until something tells where '
                                   'the camera is (topic camera/pose)'))
    return started


def _rviz(value: Values) -> list[LaunchDescriptionEntity]:
    if not _is_true(value['rviz']):
        return []
    file = PathJoinSubstitution([FindPackageShare('replan_agent'), 'config', 'replan_agent.rviz'])
    return [Node(package='rviz2', executable='rviz2', namespace=value['namespace'],
                 arguments=['-d', file, '-f', f'{value["robot_type"]}_link0'])]


def _included(package: str, file: str, arguments: dict[str, object]) -> GroupAction:
    """Another package's launch file, whose arguments stay its own."""
    path = PathJoinSubstitution([FindPackageShare(package), 'launch', file])
    return GroupAction([IncludeLaunchDescription(PythonLaunchDescriptionSource(path),
                                                 launch_arguments=arguments.items())])


def _is_true(text: str) -> bool:
    return text.lower() in ('true', '1')
