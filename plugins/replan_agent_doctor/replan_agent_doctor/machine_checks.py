# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What can be said of this machine: its middleware, versions, disk and files."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from importlib import import_module, metadata
from pathlib import Path
from xml.etree import ElementTree

from .findings import Finding, found, not_checked

OLD_DAYS, FREE_GB = 90, 2.0
MODULES = {'opencv-python-headless': 'cv2', 'PyYAML': 'yaml'}  # that have other names
NEED = re.compile(r'^([\w.-]+)>=([\d.]+)$', re.MULTILINE)  # the others are of extras
OF_ROS = ('controller_manager', 'franka_hardware', 'franka_description', 'libfranka',
          'ur_robot_driver', 'realsense2_camera')
OURS = ('agent_node', 'planner_node', 'perception_node', 'skill_node', 'guard_node',
        'starter_node')
HERE_ONLY = ('LOCALHOST', 'OFF')
DAY = re.compile(r'^#.*\b(\d{4}-\d\d-\d\d)\b', re.MULTILINE)


def middleware(others: Sequence[str], is_driver_there: bool) -> Finding:
    """The RMW and its domain; `others` are the full names of all nodes but this one."""
    import rclpy  # the other checks need no ROS

    reach = discovery()
    seen = (f'{rclpy.get_rmw_implementation_identifier()}, ROS_DOMAIN_ID '
            f'{os.environ.get("ROS_DOMAIN_ID", "0 (not set)")}, discovery {reach.lower()}; '
            f'{len(others) or "no"} other nodes')
    twice = [name for name, count in Counter(others).items()
             if count > 1 and name.rsplit('/', 1)[-1] in OURS]
    if twice:
        return found('middleware', False, f'{seen}; two nodes are called {twice[0]}',
                     'another graph is in this domain (one that was killed stays 20 s): end it, '
                     'or give this one a ROS_DOMAIN_ID or a namespace of its own')
    if is_driver_there:
        return found('middleware', True, seen, '')
    return found('middleware', False, f'{seen}; nobody publishes joint states', (
        f'ROS_AUTOMATIC_DISCOVERY_RANGE or ROS_LOCALHOST_ONLY hides other machines ({reach}): '
        'unset it if the driver runs on one; ' if reach in HERE_ONLY else '')
        + 'the driver needs the same ROS_DOMAIN_ID and RMW_IMPLEMENTATION, and a start')


def discovery() -> str:
    """How far this process looks for others: a value of ROS_AUTOMATIC_DISCOVERY_RANGE."""
    if os.environ.get('ROS_LOCALHOST_ONLY') == '1':  # it wins, for older releases
        return 'LOCALHOST'
    given = os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', '').upper()
    return 'SUBNET' if given in ('', 'SYSTEM_DEFAULT') else given


def versions() -> Finding:
    """Of what is used, against what the package asks for."""
    needs = dict(NEED.findall('\n'.join(_needs())))
    have = {name: _version(name) for name in needs}
    wrong = [f'{name} {least} or newer' for name, least in needs.items()
             if _number(have[name]) < _number(least)]
    known = {'replan_agent': _version('replan_agent'), **have,
             'ROS': os.environ.get('ROS_DISTRO', ''),
             **{name: _ros_version(name) for name in OF_ROS}}
    told = ', '.join(f'{name} {version}' for name, version in known.items() if version)
    return found('versions', not wrong, told or 'none is known',
                 f'install {", ".join(wrong)} (rosdep install, or pip)')


def _needs() -> list[str]:
    """What the installed package says that it needs."""
    try:
        return metadata.requires('replan_agent') or []
    except metadata.PackageNotFoundError:
        return []


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r'\d+', version)[:3])


def _ros_version(package: str) -> str:
    """Of a package that ROS has installed; '' if it has none of that name."""
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        file = Path(prefix) / 'share' / package / 'package.xml'
        if prefix and file.is_file():
            return (ElementTree.parse(file).findtext('version') or '').strip()
    return ''


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:  # Debian's OpenCV has another name
        with suppress(ImportError):
            return str(import_module(MODULES[name]).__version__) if name in MODULES else ''
        return ''


def disk(runs: str) -> Finding:
    if not runs:
        return not_checked('disk', 'nothing is recorded (tasks.runs)')
    folder = Path(runs).expanduser()
    there = next(one for one in (folder, *folder.parents) if one.exists())
    free_gb = shutil.disk_usage(there).free / 1e9
    try:
        tempfile.TemporaryFile(dir=there).close()
    except OSError as error:
        return found('disk', False, f'{folder}: {error.strerror}',
                     'give yourself the right to write there, or name another folder (--out; over '
                     'ROS tasks.runs)')
    return found('disk', free_gb >= FREE_GB, f'{folder}: {free_gb:.1f} GB free', f'make '
                 f'{FREE_GB:g} GB free, or name another folder (--out; over ROS tasks.runs)')


def calibration(file: str) -> Finding:
    """How old a calibration is: by the day that it names, else by the time of its file."""
    if not file:
        return not_checked('calibration', 'no --calibration was given')
    try:
        text, modified = Path(file).read_text('utf-8', 'replace'), Path(file).stat().st_mtime
    except OSError as error:
        return found('calibration', False, f'{file}: {error.strerror}', 'replan-agent calibrate')
    day = _day(text)
    days = (date.today() - day).days if day else (time.time() - modified) / 86400
    by = (f'it names {day}' if day else
          'the time of the file, which a copy makes new: it names no day')
    return found('calibration', 0 <= days <= OLD_DAYS, f'{file} is {days:.0f} days old ({by})',
                 'put a cube where you can measure it and compare with /observe; calibrate '
                 'again if it is off')


def _day(text: str) -> date | None:
    """The first day in its comments; None if there is none."""
    for said in DAY.findall(text):
        try:
            return date.fromisoformat(said)
        except ValueError:
            continue
    return None
