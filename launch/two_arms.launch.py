# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Two arms, each with its own agent, camera and stop, separated by namespaces.

    ros2 launch replan_agent two_arms.launch.py left_robot_ip:=172.16.0.2 \
        right_robot_ip:=172.17.0.2 left_calibration:=left.yaml right_calibration:=right.yaml
    ros2 launch replan_agent two_arms.launch.py sim:=true right_scene:=far_cube
    replan-agent send "pick up the red cube" --namespace left

An example to start from. The arms do not know of each other: keep their workspaces apart with
`workspace` in each parameter file. Simulated arms are in two worlds.
"""

from pathlib import Path

from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from launch import LaunchContext, LaunchDescription
from replan_agent.ros.launching.launch_arguments import config, declared, is_true

ARMS = ('left', 'right')
SHARED = ('log_level', 'respawn')
OF_EACH = (  # of which arms, name, description
    ('real', 'robot_ip', 'address of the {} arm; needed unless use_fake_hardware or sim'),
    ('both', 'params_file', 'parameters of the {} agent; empty: robot.yaml, or ros_sim.yaml'),
    ('real', 'calibration', 'YAML of replan-agent calibrate for the {} camera'),
    ('real', 'serial_no', 'serial number of the {} RealSense'),
    ('sim', 'scene', 'scene of the {} arm, with sim; empty: as in params_file'),
)


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([
        *declared([
            ('sim', 'false', 'true: both arms are simulated, each in a world of its own'),
            ('use_fake_hardware', 'false', 'true: simulated joints that follow commands, no arms'),
            ('doctor', 'true', 'as in robot.launch.py, for each arm'),
            ('log_level', 'info', 'debug, info, warn, error or fatal'),
            ('respawn', 'true', "whether a node that died starts again; the arms' drivers never "
                                'do')]),
        *(DeclareLaunchArgument(f'{arm}_{name}', default_value='', description=text.format(arm))
          for arm in ARMS for _, name, text in OF_EACH),
        *(OpaqueFunction(function=_arm, args=[arm]) for arm in ARMS),
    ])


def _arm(context: LaunchContext, arm: str) -> list[GroupAction]:
    """The robot of one namespace."""
    kind = 'sim' if is_true(LaunchConfiguration('sim').perform(context)) else 'real'
    given = {name: LaunchConfiguration(f'{arm}_{name}').perform(context)
             for of, name, _ in OF_EACH if of in (kind, 'both')}
    given |= {name: LaunchConfiguration(name).perform(context) for name in SHARED}
    if kind == 'real':
        given |= {name: LaunchConfiguration(name).perform(context)
                  for name in ('use_fake_hardware', 'doctor')}
    file, settings = (('sim', 'ros_sim.yaml') if kind == 'sim' else ('robot', 'robot.yaml'))
    given['params_file'] = given['params_file'] or config(settings).perform(context)
    path = Path(__file__).with_name(f'{file}.launch.py')
    return [GroupAction([IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(path)),
        launch_arguments=[('namespace', arm), *given.items()])])]
