"""The agent on an arm that already runs: perception, planner, skill and agent nodes.

What drives the arm and the camera is started by others: sim.launch.py, robot.launch.py and
gazebo.launch.py include this file, and it serves alone beside a bring-up of your own:

    ros2 launch replan_agent agent.launch.py params_file:=my_arm.yaml robot_type:=panda
"""

from pathlib import Path

from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchContext, LaunchDescription

NODES = ('perception_node', 'planner_node', 'skill_node', 'agent_node')
STANDSTILL_S = '20'  # a node that is interrupted brings the arm to rest before it ends
# Arguments that are parameters as well; an empty one leaves what params_file says.
OVERRIDES = {'planner': 'planner', 'perception': 'perception', 'model': 'vlm.model',
             'vlm_base_url': 'vlm.base_url', 'robot_type': 'robot.model'}


def generate_launch_description() -> LaunchDescription:
    share = FindPackageShare('replan_agent')
    as_in_file = 'empty: as in params_file'
    arguments = (
        ('namespace', '', 'namespace of all nodes'),
        ('use_sim_time', 'false', 'whether time comes from /clock'),
        ('params_file', PathJoinSubstitution([share, 'config', 'robot.yaml']),
         'parameters of all nodes'),
        ('log_level', 'info', 'debug, info, warn, error or fatal'),
        ('planner', '', f'stub or vlm; {as_in_file}'),
        ('perception', '', f'ground_truth or camera; {as_in_file}'),
        ('model', '', f'name of the vision-language model; {as_in_file}'),
        ('vlm_base_url', '', f'OpenAI-compatible endpoint of the model; {as_in_file}'),
        ('robot_type', '', f'panda or fr3; {as_in_file}'),
    )
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in arguments),
        OpaqueFunction(function=_nodes),
    ])


def _nodes(context: LaunchContext) -> list[Node]:
    value = {name: LaunchConfiguration(name).perform(context)
             for name in ('namespace', 'use_sim_time', 'params_file', 'log_level', *OVERRIDES)}
    if not Path(value['params_file']).is_file():
        raise FileNotFoundError(f'params_file: no file {value["params_file"]}')
    # As text: a model may be called 7 or true.
    given = {parameter: ParameterValue(value[name], value_type=str)
             for name, parameter in OVERRIDES.items() if value[name]}
    use_sim_time = value['use_sim_time'].lower() in ('true', '1')
    return [
        Node(package='replan_agent', executable=name, namespace=value['namespace'],
             parameters=[value['params_file'], {'use_sim_time': use_sim_time, **given}],
             arguments=['--ros-args', '--log-level', value['log_level']], output='screen',
             sigterm_timeout=STANDSTILL_S)
        for name in NODES
    ]
