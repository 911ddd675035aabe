# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A Franka, a table, objects and a camera in Gazebo Harmonic, with the agent.

    ros2 launch replan_agent_gazebo gazebo.launch.py
    ros2 launch replan_agent_gazebo gazebo.launch.py world:=my_world.sdf camera:=my_camera.yaml

The arm is franka_description's; around it are our world, bridge, controllers and camera
(config/). docs/gazebo.md says how to make a world from another scene.
"""

import sys

from launch.actions import AppendEnvironmentVariable, DeclareLaunchArgument, OpaqueFunction
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.substitutions import Command, FindExecutable, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchContext, LaunchDescription
from replan_agent.ros.launching import launch_arguments as launching
from replan_agent.ros.launching.launch_arguments import Values, included, is_true

PACKAGE = 'replan_agent_gazebo'
FILES = ('params_file', 'world', 'bridge', 'controllers_file', 'camera')
CONTROLLER_MANAGER_S = '120'  # Gazebo may first have to load the meshes


def generate_launch_description() -> LaunchDescription:
    arguments = (
        *launching.agent_arguments('gazebo.yaml', use_sim_time='true',
                                   stop_memory=launching.NEW_MEMORY, package=PACKAGE),
        ('world', _config('tabletop.sdf'), 'SDF world'),
        ('bridge', _config('bridge.yaml'), 'topics between Gazebo and ROS'),
        ('controllers_file', _config('controllers.yaml'),
         'parameters of the controllers'),
        ('camera', _config('camera.yaml'),
         "pose of the world's camera, as replan-agent calibrate writes it"),
        ('headless', 'false', "true: without Gazebo's window"),
        ('rviz', 'false', 'true: also start RViz'),
    )
    return LaunchDescription([
        *launching.declared(arguments),
        DeclareLaunchArgument('robot_type', default_value='fr3', choices=['fr3'],
                              description="the arm's name in franka_description"),
        OpaqueFunction(function=_everything, args=[[name for name, *_ in arguments]]),
    ])


def _config(file: str) -> PathJoinSubstitution:
    return launching.config(file, package=PACKAGE)


def _everything(context: LaunchContext, names: list[str]) -> list[LaunchDescriptionEntity]:
    value = launching.values(context, (*names, 'robot_type'), FILES)
    launching.new_memory(value)
    value['doctor'] = 'false'  # also if a launch file around this one has such an argument
    window = [launching.rviz(value, value['robot_type'])] if is_true(value['rviz']) else []
    return [*_gazebo(value), *_arm(value), *_topics(value), *window, launching.agent(value)]


def _gazebo(value: Values) -> list[LaunchDescriptionEntity]:
    """Gazebo with our world, and the path to the arm's meshes."""
    flags = '-r -s --headless-rendering' if is_true(value['headless']) else '-r'
    meshes = PathJoinSubstitution([FindPackageShare('franka_description'), '..'])
    return [
        AppendEnvironmentVariable('GZ_SIM_RESOURCE_PATH', meshes),
        included('ros_gz_sim', 'gz_sim.launch.py', {
            'gz_args': f'{flags} {value["world"]}', 'on_exit_shutdown': 'true'}),
    ]


def _arm(value: Values) -> list[LaunchDescriptionEntity]:
    """The arm in the world, with its controllers."""
    model, namespace = value['robot_type'], value['namespace']
    description = Command([
        sys.executable, ' -m replan_agent_gazebo.gazebo_arm ', FindExecutable(name='xacro'),
        ' ', _config('franka.urdf.xacro'), ' gazebo:=true',
        f' robot_type:={model}', f' namespace:=/{namespace}',
        f' controllers:={value["controllers_file"]}'])
    parameters = {'robot_description': ParameterValue(description, value_type=str),
                  'use_sim_time': is_true(value['use_sim_time'])}
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
    """Time and pictures from Gazebo, and the pose of its camera."""
    use_sim_time = {'use_sim_time': is_true(value['use_sim_time'])}
    return [
        Node(package='ros_gz_bridge', executable='parameter_bridge',
             namespace=value['namespace'], output='screen',
             parameters=[{'config_file': value['bridge'], **use_sim_time}]),
        Node(package='replan_agent_calibrate', executable='camera_pose_node',
             namespace=value['namespace'], output='screen',
             parameters=[value['params_file'], value['camera'], use_sim_time],
             arguments=launching.enclave('camera_pose_node', value['namespace']),
             **launching.respawned(value)),
    ]
