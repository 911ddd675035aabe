"""Two arms, each with its own agent, camera and stop, separated by namespaces.

    ros2 launch replan_agent two_arms.launch.py left_robot_ip:=172.16.0.2 \
        right_robot_ip:=172.17.0.2 left_calibration:=left.yaml right_calibration:=right.yaml
    replan-agent send "pick up the red cube" --namespace left

An example to start from. The arms do not know of each other: keep their workspaces apart with
`workspace` in each parameter file.
"""

from pathlib import Path

from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription

ROBOT = Path(__file__).with_name('robot.launch.py')
ARMS = ('left', 'right')
SHARED = ('use_fake_hardware', 'log_level', 'respawn')


def generate_launch_description() -> LaunchDescription:
    share = FindPackageShare('replan_agent')
    of_each = (
        ('robot_ip', '', 'address of the {} arm; needed unless use_fake_hardware'),
        ('params_file', PathJoinSubstitution([share, 'config', 'robot.yaml']),
         'parameters of the {} agent'),
        ('calibration', '', 'YAML of replan-agent calibrate for the {} camera'),
        ('serial_no', '', 'serial number of the {} RealSense'),
    )
    declared = [
        DeclareLaunchArgument('use_fake_hardware', default_value='false',
                              description='true: simulated joints that follow commands, no arms'),
        DeclareLaunchArgument('log_level', default_value='info',
                              description='debug, info, warn, error or fatal'),
        DeclareLaunchArgument('respawn', default_value='true',
                              description="whether a node that died starts again; the arms' "
                                          'drivers never do'),
        *(DeclareLaunchArgument(f'{arm}_{name}', default_value=default,
                                description=text.format(arm))
          for arm in ARMS for name, default, text in of_each),
    ]
    return LaunchDescription([*declared, *(_arm(arm, [name for name, *_ in of_each])
                                           for arm in ARMS)])


def _arm(arm: str, own: list[str]) -> GroupAction:
    """The robot of one namespace."""
    arguments = [('namespace', arm), *((name, LaunchConfiguration(name)) for name in SHARED),
                 *((name, LaunchConfiguration(f'{arm}_{name}')) for name in own)]
    return GroupAction([IncludeLaunchDescription(PythonLaunchDescriptionSource(str(ROBOT)),
                                                 launch_arguments=arguments)])
