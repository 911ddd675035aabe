# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a person calls from a terminal: doctor, completion; without `ros2` stop, answer ..."""

from __future__ import annotations

import argparse

from replan_agent.app.cli.added_commands import Commands
from replan_agent.ros.commands.ros_commands import without_ros

WAIT_S = 10.0
SHELLS = ('bash', 'zsh', 'fish')
TRIGGERS = {
    'stop': 'end all motion of the arm; nothing moves until reset_stop',
    'reset_stop': 'allow motion again after a stop',
    'recover_error': "clear the arm's own errors, after you have looked at the arm",
    'home_gripper': 'let the gripper find its end stops, with nothing held'}
STATUS = 'Exit status: 0 done, 1 refused (it says why), 2 nobody is there, or wrong use.'
ANSWER = f"""\
Shows what the agent asks a person, and sends the answer: to a plan yes, no, or what to change
("without step 2", "slower"); to a stuck task a hint. The answer counts only for what is shown.
{STATUS}
"""


def add_commands(commands: Commands) -> None:
    """Add `doctor`, `completion`, a command for each service, and `answer`."""
    doctor = commands.add_parser(
        'doctor', help='what is wrong with this machine, and over ROS with the cell',
        description='Looks and draws a picture; nothing moves, nothing is changed. Exit status: 0 '
        'nothing is wrong, 1 something is, 2 wrong use.')
    doctor.add_argument('--ros', nargs=argparse.REMAINDER, metavar='WORD', help=(
        'also the cell; all that follows is for that: --calibration camera.yaml --ros-args ...'))
    doctor.set_defaults(command=_doctor)
    completion = commands.add_parser('completion', help='print a script with which a shell '
                                     'completes commands, options, scenes, arms and planners')
    completion.add_argument('shell', nargs='?', choices=SHELLS, help='default: that of SHELL')
    completion.set_defaults(command=_completion)
    for service, does in TRIGGERS.items():
        command = commands.add_parser(service, help=f'{does} (over ROS)', description=(
            f'Calls the service {service} of skill_node: {does}. {STATUS}'))
        _add_where(command)
        command.set_defaults(command=_call, service=service)
    answer = commands.add_parser(
        'answer', help='approve a plan, or help a stuck task (over ROS)', description=ANSWER,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    answer.add_argument('said', nargs='?', metavar='ANSWER',
                        help='without it you are asked, after the question is shown')
    _add_where(answer)
    answer.set_defaults(command=_answer)


def _add_where(command: argparse.ArgumentParser) -> None:
    command.add_argument('--namespace', default='', help="the nodes' namespace")
    command.add_argument('--wait', type=float, default=WAIT_S, metavar='S',
                         help=f'how long to wait for the node to appear (default: {WAIT_S:g})')


def _doctor(arguments: argparse.Namespace) -> int:
    from .here_checks import doctor
    return doctor(arguments)


def _completion(arguments: argparse.Namespace) -> int:
    from .shell_completion import completion
    return completion(arguments)


def _call(arguments: argparse.Namespace) -> int:
    try:
        from .terminal_calls import call
    except ModuleNotFoundError as error:
        return without_ros(error, arguments.service)
    return call(arguments)


def _answer(arguments: argparse.Namespace) -> int:
    try:
        from .terminal_calls import answer
    except ModuleNotFoundError as error:
        return without_ros(error, 'answer')
    return answer(arguments)
