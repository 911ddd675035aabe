# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`--ros` of the servers: the options, the station, and the end of a stop.

Importing this needs no ROS, and is quick: every command waits for it.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from replan_agent.app.terminal.exits import SUCCESS, WrongUse

if TYPE_CHECKING:
    from .ros_station import RosStation


def add_ros(command: argparse.ArgumentParser) -> None:
    """Add --ros, --namespace and --image."""
    ros = command.add_argument_group('over ROS')
    ros.add_argument('--ros', action='store_true',
                     help='serve the agent of a running ROS graph instead of a simulation; it\n'
                          'has its own settings, and --approver may only be stricter')
    ros.add_argument('--namespace', default='', help="the agent's namespace")
    ros.add_argument('--image', default='camera/color/image_raw', metavar='TOPIC',
                     help="the camera's pictures (default: camera/color/image_raw)")


def ros_station(arguments: argparse.Namespace, approver: str | None, command: str) -> RosStation:
    """The agent of the graph; `command` is the server's own name. Raises WrongUse."""
    try:
        from .remote_agent import RemoteAgent
        from .ros_station import RosStation
    except ModuleNotFoundError as error:
        raise WrongUse(f'--ros needs ROS 2 (no module named {error.name!r}): source your '
                       'installation and this workspace') from error
    return RosStation(RemoteAgent(arguments.namespace, arguments.image), approver,
                      arguments.namespace, command)


def reset_stop(arguments: argparse.Namespace, command: str) -> int:
    """Allow motion again, as a person at the command line may. Raises WrongUse."""
    from .desk import released
    from .station import TaskRefused

    said = ''
    if arguments.ros:
        station = ros_station(arguments, None, command)
        try:
            said = f'; skill_node {station.reset()}'
        except TaskRefused as error:
            raise WrongUse(str(error)) from error
        finally:
            station.close()
    try:
        print(released(arguments.runs) + said)
    except TaskRefused as error:
        raise WrongUse(str(error)) from error
    return SUCCESS
