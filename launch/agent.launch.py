# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The agent on an arm that already runs: perception, planner, skill, guard, starter and
agent nodes.

Others start the drivers of the arm and the camera: sim.launch.py, robot.launch.py and
gazebo.launch.py include this file. It also works alone beside your own bring-up:

    ros2 launch replan_agent agent.launch.py params_file:=my_arm.yaml robot_type:=panda
"""

import re
from importlib.util import find_spec
from pathlib import Path

from launch.actions import LogInfo, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.launch_description_entity import LaunchDescriptionEntity
from launch_ros.actions import Node

from launch import LaunchContext, LaunchDescription
from replan_agent.ros.arm.arm_interfaces import ON_FAKE_HARDWARE
from replan_agent.ros.launching import launch_arguments as launching

ALL_PERCEPTIONS = 'ground_truth, camera or camera_vlm'
STARTER = 'starter_node'  # activates the nodes of arm and camera
NODES = ('perception_node', 'planner_node', 'skill_node', 'guard_node', STARTER, 'agent_node')
DOCTOR = 'replan_agent_doctor'
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
            ('doctor', 'false', 'true: the nodes of arm and camera stay inactive until '
                                f'{DOCTOR} finds nothing wrong'),
            ('calibration', '', 'YAML of replan-agent calibrate, whose age the doctor tells'),
            (launching.FAKE, 'false', 'true: there are no external torques and no gripper, so '
                                      'contacts are not felt')]),
        OpaqueFunction(function=_nodes),
    ])


def _nodes(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    value = launching.values(context, (*launching.FOR_AGENT, launching.FAKE),
                             files=['params_file'], files_if_given=['names_file'])
    _keep_stops(value)
    silent = ON_FAKE_HARDWARE if launching.is_true(value[launching.FAKE]) else {}
    page = [_page(value)] if launching.is_true(value['web']) else []
    nodes = {name: launching.our_node(name, value, PARAMETER_OF, {'autostart': False, **silent})
             for name in NODES}
    if launching.is_true(value['doctor']):
        return [*page, *_examined(value, silent, nodes.pop(STARTER)), *nodes.values()]
    return [*nodes.values(), *page]


def _examined(value: launching.Values, silent: dict[str, str], starter: Node
              ) -> list[LaunchDescriptionEntity]:
    """The doctor, and the node that activates the others once it finds nothing wrong."""
    if find_spec(DOCTOR) is None:
        raise ValueError(f'doctor: {DOCTOR} is not installed: build it too, or say doctor:=false')
    dated = ['--calibration', value['calibration']] if value['calibration'] else []
    doctor = launching.our_node('doctor', value, PARAMETER_OF, silent, respawn=False,
                                package=DOCTOR, words=['--wait', *dated])

    def on_exit(event: ProcessExited, _: LaunchContext) -> LaunchDescriptionEntity:
        return LogInfo(msg=f'the doctor ended with status {event.returncode}: the arm stays '
                           'inactive') if event.returncode else starter

    return [doctor, RegisterEventHandler(OnProcessExit(target_action=doctor, on_exit=on_exit))]


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
