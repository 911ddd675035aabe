"""The whole graph on the embedded simulation: sim, perception, planner, skill and agent nodes.

    ros2 launch replan_agent sim.launch.py scene:=far_cube
    ros2 action send_goal --feedback /execute_task replan_agent_interfaces/action/ExecuteTask \
        "{task: 'pick up the red cube'}"
"""

from pathlib import Path

from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.conditions import UnlessCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchContext, LaunchDescription

AGENT = Path(__file__).with_name('agent.launch.py')
FOR_AGENT = ('namespace', 'use_sim_time', 'params_file', 'log_level', 'planner', 'perception',
             'model', 'vlm_base_url', 'robot_type')
STANDSTILL_S = '20'  # a node that is interrupted brings the arm to rest before it ends
# Arguments that are parameters of the simulation; an empty one leaves what params_file says.
OVERRIDES = {'scene': 'scene', 'robot_type': 'robot.model'}


def generate_launch_description() -> LaunchDescription:
    share = FindPackageShare('replan_agent')
    as_in_file = 'empty: as in params_file'
    arguments = (
        ('namespace', '', 'namespace of all nodes'),
        ('use_sim_time', 'true', 'whether time comes from /clock'),
        ('params_file', PathJoinSubstitution([share, 'config', 'ros_sim.yaml']),
         'parameters of all nodes'),
        ('log_level', 'info', 'debug, info, warn, error or fatal'),
        ('scene', '', f'a scene of config/scenes, or a YAML file; {as_in_file}'),
        ('planner', '', f'stub or vlm; {as_in_file}'),
        ('perception', '', f'ground_truth or camera; {as_in_file}'),
        ('model', '', f'name of the vision-language model; {as_in_file}'),
        ('vlm_base_url', '', f'OpenAI-compatible endpoint of the model; {as_in_file}'),
        ('robot_type', '', f'panda or fr3; {as_in_file}'),
        ('headless', 'true', 'false: also start RViz'),
    )
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in arguments),
        OpaqueFunction(function=_simulation),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(AGENT)),
            launch_arguments=[(name, LaunchConfiguration(name)) for name in FOR_AGENT]),
        OpaqueFunction(function=_rviz,
                       condition=UnlessCondition(LaunchConfiguration('headless'))),
    ])


def _simulation(context: LaunchContext) -> list[Node]:
    value = {name: LaunchConfiguration(name).perform(context)
             for name in ('namespace', 'use_sim_time', 'params_file', 'log_level', *OVERRIDES)}
    if not Path(value['params_file']).is_file():
        raise FileNotFoundError(f'params_file: no file {value["params_file"]}')
    given = {parameter: ParameterValue(value[name], value_type=str)
             for name, parameter in OVERRIDES.items() if value[name]}
    use_sim_time = value['use_sim_time'].lower() in ('true', '1')
    return [Node(
        package='replan_agent', executable='sim_node', namespace=value['namespace'],
        parameters=[value['params_file'], {'use_sim_time': use_sim_time, **given}],
        arguments=['--ros-args', '--log-level', value['log_level']], output='screen',
        sigterm_timeout=STANDSTILL_S)]


def _rviz(context: LaunchContext) -> list[Node]:
    file = PathJoinSubstitution([FindPackageShare('replan_agent'), 'config', 'replan_agent.rviz'])
    model = LaunchConfiguration('robot_type').perform(context) or 'panda'
    return [Node(package='rviz2', executable='rviz2', namespace=LaunchConfiguration('namespace'),
                 arguments=['-d', file, '-f', f'{model}_link0'])]
