# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reads motion.jsonl: where the arm was, and where the things were, at each moment of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from replan_agent.domain.motion_sample import MotionSample, PoseNumbers
from replan_agent.record.motion_file import MOTION
from replan_agent.record.run_json import Json, RunUnreadable, json_lines
from replan_agent.text.shown_text import shown

POSE_NUMBERS = 7  # x y z and a quaternion
MOST = 9e9  # larger numbers are no times, angles or places


def motion_in(folder: Path) -> Iterator[MotionSample]:
    """The samples of a run, each with all objects where they were then. Raises RunUnreadable."""
    objects: dict[str, PoseNumbers] = {}
    joints: tuple[float, ...] = ()
    lines = json_lines(folder / MOTION)
    _check_first(next(lines, None), folder / MOTION)
    for where, line in lines:
        try:
            objects |= {str(name): _numbers(pose, POSE_NUMBERS)
                        for name, pose in line.get('objects', {}).items()}
            command = line.get('c')
            if not 0 <= _number(line['t']):
                raise ValueError('t is below 0')
            joints = _numbers(line['q'], len(joints))
            yield MotionSample(_number(line['t']), joints, _number(line['w']),
                               None if command is None else _number(command), dict(objects),
                               _numbers(line['f'], len(joints) + 1) if 'f' in line else ())
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RunUnreadable(f'{where}: not the format of this version: '
                                f'{type(error).__name__}: {error}') from error


def _check_first(first: tuple[str, Json] | None, file: Path) -> None:
    if first is None or first[1].get('format') != 1:
        raise RunUnreadable(f'{file}: not a record of motion: its first line is not '
                            '{"format": 1, ...}')


def _numbers(values: object, count: int) -> tuple[float, ...]:
    """So many numbers; with 0, one at least."""
    if not isinstance(values, list) or len(values) != (count or max(1, len(values))):
        raise ValueError(f'a list of {count or "some"} numbers expected')
    return tuple(map(_number, values))


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not abs(value) < MOST:
        raise ValueError(f'a number expected, not {shown(value)}')
    return float(value)
