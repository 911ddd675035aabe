# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The options of `replan-agent record-views`; importing this needs no ROS."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from replan_agent.app.terminal.exits import WRONG_USE
from replan_agent.arms.arm_names import NEWEST_ARM


def add_record_views(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        'record-views', help='take pictures of a board on a real arm, for calibrate --from',
        description='Records a picture and the joints at each Enter. It moves nothing: guide the '
                    'arm by hand, with no controller that holds it (docs/real_robot.md, step 4).')
    command.add_argument('folder', type=Path, metavar='DIR', help='where to keep the views')
    command.add_argument('--model', default=NEWEST_ARM, metavar='ARM',
                         help='panda, fr3, a name of config/arms or the path of such a file '
                              f'(default: {NEWEST_ARM})')
    command.add_argument('--board', default='5x4x50', metavar='COLUMNSxROWSxMM',
                         help='squares of the board and their size in mm (default: 5x4x50)')
    command.add_argument('--eye-in-hand', action='store_true',
                         help='the camera is on the hand, and the board lies on the table; give '
                              'its topics too')
    command.add_argument('--namespace', default='', help='namespace of the arm and its camera')
    for name, topic in (('color-image', 'camera/color/image_raw'),
                        ('camera-info', 'camera/color/camera_info'),
                        ('joint-states', None)):
        command.add_argument(f'--{name}', default=topic, metavar='TOPIC', help=(
            f'default: {topic}' if topic else "the arm's own, not a combined one, which goes on "
            'when one of its sources is silent (default: that of the driver of --model)'))
    command.set_defaults(command=_record)


def _record(arguments: argparse.Namespace) -> int:
    try:
        from .record_views import record_views
    except ModuleNotFoundError as error:
        print(f'replan-agent record-views needs ROS 2 (no module named {error.name!r}): source '
              'your installation and this workspace', file=sys.stderr)
        return WRONG_USE
    return record_views(arguments)
