# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The agent on an arm that already runs: perception, planner, skill, guard, starter and
agent nodes.

Others start the drivers of the arm and the camera: sim.launch.py, robot.launch.py and
gazebo.launch.py include this file. It also works alone beside your own bring-up:

    ros2 launch replan_agent agent.launch.py params_file:=my_arm.yaml robot_type:=panda
"""

import re
from pathlib import Path

from launch.actions import OpaqueFunction
from launch_ros.actions import Node

from launch import LaunchContext, LaunchDescription
from replan_agent.ros.arm.arm_interfaces import ON_FAKE_HARDWARE
from replan_agent.ros.launching import launch_arguments as launching

ALL_PERCEPTIONS = 'ground_truth, camera or camera_vlm'
NODES = ('perception_node', 'planner_node', 'skill_node', 'guard_node', 'starter_node',
         'agent_node')  # starter_node activates those of arm and camera
PAGE_RESPAWN_S = 10.0  # before the page starts again: its port may be taken for long
# Arguments that are also parameters.
PARAMETER_OF = {'planner': 'planner', 'perception': 'perception', 'model': 'vlm.model',
                'vlm_base_url': 'vlm.base_url', 'robot_type': 'robot.model',
                'eye_in_hand': 'robot.eye_in_hand', 'frame_prefix': 'robot.frame_prefix',
                'base_frame': 'robot.base_frame',
                'stop_memory': 'safety.stop_memory'}


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([
        *launching.declared(launching.agent_arguments('robot.yaml', use_sim_time='false',
                                                      perceptions=ALL_PERCEPTIONS)),
        *launching.declared([
            ('robot_type', '', 'panda, fr3, fr3v2, a name of config/arms or the path of such a '
                               f'file; {launching.AS_IN_FILE}'),
            ('names_file', '', "parameters that params_file may change: names of the arm's "
                               'drivers, as config/franka/names.yaml'),
            ('base_frame', '', f'name of the base frame; {launching.AS_IN_FILE}'),
            (launching.FAKE, 'false', 'true: there are no external torques and no gripper, so '
                                      'contacts are not felt')]),
        OpaqueFunction(function=_nodes),
    ])


def _nodes(context: LaunchContext) -> list[Node]:
    value = launching.values(context, (*launching.FOR_AGENT, launching.FAKE),
                             files=['params_file'], files_if_given=['names_file'])
    _keep_stops(value)
    silent = ON_FAKE_HARDWARE if launching.is_true(value[launching.FAKE]) else {}
    page = [_page(value)] if launching.is_true(value['web']) else []
    return [*(launching.our_node(name, value, PARAMETER_OF, {'autostart': False, **silent})
              for name in NODES), *page]


def _keep_stops(value: launching.Values) -> None:
    """Give the stop a memory for this launch if params_file says that a restart forgets it.

    A node that starts again within one launch must not forget a stop.
    """
    if re.search(r'^ *(safety\.)?stop_memory: *(\'\'|"") *(#.*)?$',
                 Path(value['params_file']).read_text('utf-8'), re.MULTILINE):
        launching.new_memory(value)


def _page(value: launching.Values) -> Node:
    """The page beside the agent. That it cannot start is its own problem: the arm goes on."""
    return launching.our_node('web', value, {}, package='replan_agent_page', ending={
        'respawn': launching.is_true(value['respawn']), 'respawn_delay': PAGE_RESPAWN_S})
