# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent export`: runs for Foxglove (MCAP), `ros2 bag play` and training (LeRobot)."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.terminal.exits import SUCCESS, WrongUse
from replan_agent.text.file_bytes import reason
from replan_agent.text.shown_text import counted

from .replay_command import add_replay
from .show_command import add_plans, add_show

if TYPE_CHECKING:
    from .recorded_run import RecordedRun

HELP = """\
Writes recorded runs in formats that other tools open. Needs:
pip install mcap pyarrow

--mcap FILE: one run for Foxglove: pictures, joint states, frames, scene, plan, attempts, markers
and log, in robot time. Then open it with our layout, config/foxglove_recording.json.
--rosbag FILE: one run as a ROS bag (MCAP with ROS 2 messages), for `ros2 bag play` and Foxglove:
/joint_states, /tf, /tf_static, pictures, /scene, /agent_node/plan and /rosout. Needs ROS 2.
--lerobot DIR: a LeRobot dataset (v3) with an episode for each run: camera video, state, action,
task, success, and for each frame the phase, the cause of a failure and the recovery. The video
is drawn from the recorded motion, which needs libEGL. Only runs of the embedded simulation.

examples:
  replan-agent export runs/TIME-SCENE --mcap run.mcap
  replan-agent export runs/TIME-SCENE --rosbag run_bag.mcap && ros2 bag play run_bag.mcap
  replan-agent export runs/2* --lerobot my_dataset

exit status: 0 written, 2 wrong use or not written. Nothing is overwritten without --force, and
what fails leaves nothing behind.
"""


def add_commands(commands: Commands) -> None:
    """Add the commands `export`, `replay`, `show` and `plans`."""
    add_replay(commands)
    add_show(commands)
    add_plans(commands)
    command = commands.add_parser(
        'export', help='recorded runs for Foxglove (MCAP) and LeRobot',
        formatter_class=argparse.RawTextHelpFormatter, description=HELP)
    command.add_argument('runs', type=Path, nargs='+', metavar='RUN', help='folders of runs')
    command.add_argument('--mcap', type=Path, metavar='FILE', help='one run as an MCAP file')
    command.add_argument('--rosbag', type=Path, metavar='FILE', help='one run as a ROS bag (MCAP)')
    command.add_argument('--lerobot', type=Path, metavar='DIR', help='runs as a LeRobot dataset')
    command.add_argument('--force', action='store_true', help='replace what is there')
    command.set_defaults(command=_export)


def _export(arguments: argparse.Namespace) -> int:
    from replan_agent.record.run_json import RunUnreadable

    from .recorded_run import RecordedRun

    targets = [path for path in (arguments.mcap, arguments.rosbag, arguments.lerobot) if path]
    if not targets:
        raise WrongUse('say what to write: --mcap FILE, --rosbag FILE, --lerobot DIR, or several')
    if (arguments.mcap or arguments.rosbag) and len(arguments.runs) > 1:
        raise WrongUse('--mcap and --rosbag take one run; give several only with --lerobot')
    needed = [*(['mcap'] if arguments.mcap or arguments.rosbag else []),
              *(['pyarrow'] if arguments.lerobot else [])]
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise WrongUse(f'export needs {" and ".join(missing)}: pip install {" ".join(missing)}')
    for path in targets:
        _check_free(path, arguments.force, is_folder=path is arguments.lerobot)
    try:
        runs = [RecordedRun.load(path) for path in arguments.runs]
        if arguments.mcap:
            _written(arguments.mcap, lambda path: _mcap(runs[0], path))
        if arguments.rosbag:
            _written(arguments.rosbag, lambda path: _rosbag(runs[0], path))
        if arguments.lerobot:
            _written(arguments.lerobot, lambda path: _lerobot(runs, path))
    except RunUnreadable as error:
        raise WrongUse(str(error)) from error
    return SUCCESS


def _mcap(run: RecordedRun, path: Path) -> str:
    from replan_agent.app.build.share import share_path
    from replan_agent_export.mcap_export import write_mcap

    count = write_mcap(run, path)
    return f'{count} messages; layout for Foxglove: {share_path("config", LAYOUT)}'


def _rosbag(run: RecordedRun, path: Path) -> str:
    try:
        from .ros_bag import write_ros_bag
    except ModuleNotFoundError as error:
        raise WrongUse(f'--rosbag needs ROS 2 (no module named {error.name!r}): source your '
                       'installation and this workspace, or run it with  tools/ros run') from error
    return f'{write_ros_bag(run, path)} messages, for  ros2 bag play'


def _lerobot(runs: list[RecordedRun], path: Path) -> str:
    from replan_agent_export.lerobot_export import write_lerobot

    frames = write_lerobot(runs, path)
    return f'{counted(len(runs), "episodes")}, {counted(frames, "frames")}'


LAYOUT = 'foxglove_recording.json'


def _check_free(path: Path, force: bool, is_folder: bool) -> None:
    """Raise WrongUse if something is there that must not be replaced."""
    if not os.path.lexists(path):
        return
    if not force:
        raise WrongUse(f'{path}: it exists already; name another, or add --force')
    if is_folder and not (path / 'meta' / 'info.json').is_file():
        raise WrongUse(f'{path}: not a LeRobot dataset, so --force does not replace it')
    if not is_folder and not path.is_file():
        raise WrongUse(f'{path}: not a file, so --force does not replace it')


def _written(path: Path, write: Callable[[Path], str]) -> None:
    """Write the whole file or folder beside its place, then move it there. Else leave nothing."""
    partial = path.with_name(f'{path.name}.partial')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove(partial)
        said = write(partial)
        if path.is_dir():
            _remove(path)
        os.replace(partial, path)
    except (OSError, ValueError) as error:
        raise WrongUse(f'{path}: cannot be written: {reason(error)}') from error
    finally:
        with suppress(OSError):
            _remove(partial)
    print(f'{path}: {said}')


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
