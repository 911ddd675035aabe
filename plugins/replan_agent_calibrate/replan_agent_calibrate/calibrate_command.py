# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The options of `replan-agent calibrate`; the work is in calibrate.py."""

from __future__ import annotations

import argparse
from pathlib import Path

from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.cli.run_arguments import names_of
from replan_agent.app.terminal.argument_types import positive
from replan_agent.app.terminal.shared_arguments import add_config, add_eye, add_model, add_world
from replan_agent.arms.arm_names import ARM_NAMES, DEFAULT_ARM
from replan_agent.domain.config import PERCEPTIONS

from .record_views_command import add_record_views

DESCRIPTION = """\
Find where the camera is, in the frame of the arm's base. The arm holds a ChArUco board and moves
it through the camera's view. With --eye-in-hand the camera is on the hand, the board lies still,
and the result is in the frame of the hand. All pictures are solved together with the arm's poses.
"""
EXAMPLES = """\
examples:
  replan-agent calibrate --print board.png        the board to print
  replan-agent calibrate                          in simulation, against the true pose
  replan-agent calibrate --eye-in-hand            the camera in the hand
  replan-agent calibrate --from views             from pictures and views.json of a real arm

exit status: 0 calibrated, 1 not calibrated or not well (it says why), 2 wrong use
"""


def add_commands(commands: Commands) -> None:
    """Add the commands `look`, `calibrate` and `record-views`."""
    add_look(commands)
    add_calibrate(commands)
    add_record_views(commands)


def add_look(commands: Commands) -> None:
    look = commands.add_parser('look', help='show what is seen, with an annotated picture',
                               formatter_class=argparse.RawTextHelpFormatter)
    add_world(look)
    look.add_argument('--perception', choices=names_of('perception', PERCEPTIONS),
                      default='camera',
                      help='default: camera, from pixels; camera_vlm needs --point-at')
    add_eye(look)
    add_model(look)
    add_config(look)
    look.add_argument('--closer', metavar='OBJECT',
                      help='draw only this object: its cloud, its pieces and its best grasps')
    look.add_argument('--out', type=Path, default=Path('runs/look.png'), metavar='FILE',
                      help='the picture, .png or .jpg (default: runs/look.png)')
    look.add_argument('--json', action='store_true', help='print the scene as JSON')
    look.set_defaults(command=_look)


def _look(arguments: argparse.Namespace) -> int:
    from .look_command import look
    return look(arguments)


def add_calibrate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        'calibrate', help='find where the camera is (hand-eye calibration)',
        description=DESCRIPTION, epilog=EXAMPLES, formatter_class=argparse.RawTextHelpFormatter)
    command.add_argument('--from', dest='folder', type=Path, metavar='DIR',
                         help='pictures and views.json instead of the simulation')
    command.add_argument('--eye-in-hand', action='store_true',
                         help='the camera is on the hand, and the board lies on the table')
    command.add_argument('--out', type=Path, metavar='FILE',
                         help="the camera's pose, for robot.launch.py (default: camera.yaml, or\n"
                              'hand_camera.yaml)')
    command.add_argument('--board', default='5x4x50', metavar='COLUMNSxROWSxMM',
                         help='squares of the board and their size in mm (default: 5x4x50);\n'
                              'with --from it is in views.json')
    command.add_argument('--print', type=Path, metavar='FILE',
                         help='only write the board for printing: .png')
    add_world(command, 'the scene with the table and camera (default: tabletop)')
    command.add_argument('--model', choices=ARM_NAMES, default=DEFAULT_ARM,
                         help=f'the simulated arm (default: {DEFAULT_ARM})')
    command.add_argument('--views', type=positive, default=20, metavar='N',
                         help='pictures to take in simulation (default: 20)')
    command.add_argument('--save', type=Path, metavar='DIR',
                         help='also keep the simulated pictures, as --from reads them')
    command.set_defaults(command=_calibrate)


def _calibrate(arguments: argparse.Namespace) -> int:
    from .calibrate import run_calibration
    return run_calibration(arguments)
