# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole graph on the embedded simulation: sim, perception, planner, skill, guard and agent
nodes.

    ros2 launch replan_agent sim.launch.py scene:=far_cube
    ros2 launch replan_agent sim.launch.py arm:=ur5e
    ros2 action send_goal --feedback /execute_task replan_agent_interfaces/action/ExecuteTask \
        "{task: 'pick up the red cube'}"

Each namespace is a world of its own, with its own time (<namespace>/clock) and names of frames.
"""

from launch.actions import OpaqueFunction
from launch.launch_description_entity import LaunchDescriptionEntity

from launch import LaunchContext, LaunchDescription
from replan_agent.arms.known_arms import arm_named
from replan_agent.ros.launching import launch_arguments as launching

# Arguments that are parameters of the simulation.
PARAMETER_OF = {'scene': 'scene', 'robot_type': 'robot.model',
                'eye_in_hand': 'robot.eye_in_hand', 'frame_prefix': 'robot.frame_prefix',
                'base_frame': 'robot.base_frame'}


def generate_launch_description() -> LaunchDescription:
    as_in_file = launching.AS_IN_FILE
    arguments = (
        *launching.agent_arguments('ros_sim.yaml', use_sim_time='true',
                                   perceptions='ground_truth, camera or camera_vlm', clock='clock',
                                   frame_prefix='empty: the namespace, if there is one',
                                   stop_memory=launching.NEW_MEMORY),
        ('robot_type', '', f'panda, fr3, fr3v2 or fr3v2_1; {as_in_file}'),
        ('arm', '', 'any arm: a name of config/arms, or the path of such a file; robot_type does '
                    'not count then'),
        ('scene', '', f'a scene of config/scenes, or a YAML file; {as_in_file}'),
        ('headless', 'true', 'false: also start RViz'),
    )
    return LaunchDescription([
        *launching.declared(arguments),
        OpaqueFunction(function=_everything, args=[[name for name, *_ in arguments]]),
    ])


def _everything(context: LaunchContext, names: list[str]) -> list[LaunchDescriptionEntity]:
    value = launching.values(context, names, files=['params_file'])
    launching.new_memory(value)
    value['doctor'] = 'false'  # also if a launch file around this one has such an argument
    if value['arm']:
        value |= {'robot_type': value['arm'], 'base_frame': arm_named(value['arm']).ros.base}
    if value['namespace']:
        value['frame_prefix'] = value['frame_prefix'] or f'{value["namespace"].strip("/")}/'
    window = ([] if launching.is_true(value['headless'])
              else [launching.rviz(value, value['robot_type'] or 'panda')])
    sim = launching.our_node('sim_node', value, PARAMETER_OF, package='replan_agent_sim',
                             respawn=False)  # a new world is new
    return [sim, launching.agent(value), *window]
