"""A Franka, a table, objects and a camera in Gazebo Harmonic, with the agent.

    ros2 launch replan_agent gazebo.launch.py
    ros2 launch replan_agent gazebo.launch.py world:=my_world.sdf camera:=my_camera.yaml

The arm is franka_description's; around it are our world, bridge, controllers and camera
(config/gazebo). docs/gazebo.md says how to make a world from another scene.
"""

from pathlib import Path

from launch.actions import (
    AppendEnvironmentVariable,
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
)
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import (
    Command,
    FindExecutable,
    LaunchConfiguration,
    PathJoinSubstitution,
)
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchContext, LaunchDescription

Values = dict[str, str]

AGENT = Path(__file__).with_name('agent.launch.py')
FOR_AGENT = ('namespace', 'use_sim_time', 'params_file', 'log_level', 'planner', 'perception',
             'model', 'vlm_base_url', 'robot_type')
FILES = ('params_file', 'world', 'bridge', 'controllers_file', 'camera')
CONTROLLER_MANAGER_S = '120'  # Gazebo may first have to load the meshes


def generate_launch_description() -> LaunchDescription:
    config = PathJoinSubstitution([FindPackageShare('replan_agent'), 'config'])
    as_in_file = 'empty: as in params_file'
    arguments = (
        ('namespace', '', 'namespace of all nodes'),
        ('use_sim_time', 'true', 'whether time comes from /clock'),
        ('params_file', PathJoinSubstitution([config, 'gazebo.yaml']), 'parameters of the agent'),
        ('log_level', 'info', 'debug, info, warn, error or fatal'),
        ('world', PathJoinSubstitution([config, 'gazebo', 'tabletop.sdf']), 'SDF world'),
        ('bridge', PathJoinSubstitution([config, 'gazebo', 'bridge.yaml']),
         'topics between Gazebo and ROS'),
        ('controllers_file', PathJoinSubstitution([config, 'gazebo', 'controllers.yaml']),
         'parameters of the controllers'),
        ('camera', PathJoinSubstitution([config, 'gazebo', 'camera.yaml']),
         "pose of the world's camera, as replan-agent calibrate writes it"),
        ('planner', '', f'stub or vlm; {as_in_file}'),
        ('perception', '', f'camera; {as_in_file}'),
        ('model', '', f'name of the vision-language model; {as_in_file}'),
        ('vlm_base_url', '', f'OpenAI-compatible endpoint of the model; {as_in_file}'),
        ('headless', 'false', "true: without Gazebo's window"),
        ('rviz', 'false', 'true: also start RViz'),
    )
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in arguments),
        DeclareLaunchArgument('robot_type', default_value='fr3', choices=['fr3'],
                              description='the arm, in the words of franka_description'),
        OpaqueFunction(function=_everything, args=[[name for name, *_ in arguments]]),
    ])


def _everything(context: LaunchContext, names: list[str]) -> list[LaunchDescriptionEntity]:
    value = {name: LaunchConfiguration(name).perform(context) for name in (*names, 'robot_type')}
    for name in FILES:
        if not Path(value[name]).is_file():
            raise FileNotFoundError(f'{name}: no file {value[name]}')
    return [
        *_gazebo(value), *_arm(value), *_topics(value), *_rviz(value),
        IncludeLaunchDescription(PythonLaunchDescriptionSource(str(AGENT)),
                                 launch_arguments=[(name, value[name]) for name in FOR_AGENT]),
    ]


def _gazebo(value: Values) -> list[LaunchDescriptionEntity]:
    """Gazebo with our world, and the way to the meshes of the arm."""
    flags = '-r -s --headless-rendering' if _is_true(value['headless']) else '-r'
    meshes = PathJoinSubstitution([FindPackageShare('franka_description'), '..'])
    gz_sim = PathJoinSubstitution([FindPackageShare('ros_gz_sim'), 'launch', 'gz_sim.launch.py'])
    return [
        AppendEnvironmentVariable('GZ_SIM_RESOURCE_PATH', meshes),
        GroupAction([IncludeLaunchDescription(
            PythonLaunchDescriptionSource(gz_sim),
            launch_arguments=[('gz_args', f'{flags} {value["world"]}'),
                              ('on_exit_shutdown', 'true')])]),
    ]


def _arm(value: Values) -> list[LaunchDescriptionEntity]:
    """The arm put into the world, with its controllers."""
    model, namespace = value['robot_type'], value['namespace']
    xacro = PathJoinSubstitution([FindPackageShare('replan_agent'), 'config', 'gazebo',
                                  'franka.urdf.xacro'])
    description = Command([
        FindExecutable(name='xacro'), ' ', xacro, ' gazebo:=true', f' robot_type:={model}',
        f' namespace:=/{namespace}', f' controllers:={value["controllers_file"]}'])
    parameters = {'robot_description': ParameterValue(description, value_type=str),
                  'use_sim_time': _is_true(value['use_sim_time'])}
    controllers = ('joint_state_broadcaster', f'{model}_arm_controller', f'{model}_gripper')
    return [
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             namespace=namespace, parameters=[parameters], output='screen'),
        Node(package='ros_gz_sim', executable='create', namespace=namespace,
             arguments=['-topic', 'robot_description', '-name', model], output='screen'),
        Node(package='controller_manager', executable='spawner', namespace=namespace,
             arguments=[*controllers, '--controller-manager-timeout', CONTROLLER_MANAGER_S],
             output='screen'),
    ]


def _topics(value: Values) -> list[LaunchDescriptionEntity]:
    """Time and pictures from Gazebo, and where its camera is."""
    use_sim_time = {'use_sim_time': _is_true(value['use_sim_time'])}
    return [
        Node(package='ros_gz_bridge', executable='parameter_bridge',
             namespace=value['namespace'], output='screen',
             parameters=[{'config_file': value['bridge'], **use_sim_time}]),
        Node(package='replan_agent', executable='camera_pose_node',
             namespace=value['namespace'], output='screen',
             parameters=[value['params_file'], value['camera'], use_sim_time]),
    ]


def _rviz(value: Values) -> list[LaunchDescriptionEntity]:
    if not _is_true(value['rviz']):
        return []
    file = PathJoinSubstitution([FindPackageShare('replan_agent'), 'config', 'replan_agent.rviz'])
    return [Node(package='rviz2', executable='rviz2', namespace=value['namespace'],
                 arguments=['-d', file, '-f', f'{value["robot_type"]}_link0'],
                 parameters=[{'use_sim_time': _is_true(value['use_sim_time'])}])]


def _is_true(text: str) -> bool:
    return text.lower() in ('true', '1')
