# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tool centre point that a sidecar names: it must fit to how the fingers close."""

from __future__ import annotations

import math

import numpy as np
from transforms3d import euler

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.text.setting import ConfigError, key_path

from .compiled import Compiled, inverse
from .sidecar import Tool

CLOSES_OFF_DEG, POINTS_OFF_DEG = 5.0, 15.0
BESIDE_M, ALONG_M = 0.008, 0.06  # so far from the middle of the pads it may be
HALF_A_TURN = Pose((0, 0, 0), (0.0, 0.0, 0.0, 1.0)).matrix()


def tool_frame(compiled: Compiled, tool: Tool, right: FloatArray, where: str) -> FloatArray:
    """T_world_tcp as the sidecar says it. `right` is where the pads have it: z out, y across.

    Raises ConfigError with the line that would be right.
    """
    frame = compiled.frame_pose(tool.frame, key_path(where, 'frame'))
    T = frame @ Pose.from_rpy(*tool.xyz, *tool.rpy).matrix()
    there = inverse(T) @ right
    if there[1, 1] < 0:  # which finger is the first one does not matter
        T, there = T @ HALF_A_TURN, HALF_A_TURN @ there
    wrong = _turned_wrong(there) or _placed_wrong(there[:3, 3])
    if wrong:
        raise ConfigError(f'{where}: {wrong}; write {_line(tool.frame, inverse(frame) @ right)}, '
                          'or leave tool out')
    return T


def _turned_wrong(there: FloatArray) -> str:
    """What is wrong with its direction, or ''. `there`: the right frame in this one."""
    out, across = there[:3, 2], there[:3, 1]
    closes, points = (math.degrees(math.acos(float(np.clip(value, -1, 1))))
                      for value in (across[1], out[2]))
    if points > 180 - POINTS_OFF_DEG:
        return ('the tool frame is upside down: its z points into the palm, not out of it to the '
                'finger tips')
    if closes > CLOSES_OFF_DEG:
        axis = next((name for name, share in zip('xz', across[[0, 2]]) if abs(share) > 0.9), '')
        along = f'close along its {axis}, not along its y' if axis else 'do not close along its y'
        upright = ': vertically, when it points down' if axis == 'z' else ''
        return f'the tool frame is {closes:.0f} degrees off: the fingers {along}{upright}'
    if points > POINTS_OFF_DEG:
        return (f'the tool frame is {points:.0f} degrees off: its z does not point out of the '
                'palm to the finger tips')
    return ''


def _placed_wrong(pads: FloatArray) -> str:
    """What is wrong with its place, or '': the middle of the pads in its frame says it."""
    beside, beyond = float(np.hypot(*pads[:2])), float(pads[2])
    if beyond > ALONG_M:
        return (f'the tool centre point is {1000 * beyond:.0f} mm behind the pads, in the palm or '
                'behind it')
    if -beyond > ALONG_M:
        return f'the tool centre point is {-1000 * beyond:.0f} mm beyond the pads'
    if beside > BESIDE_M:
        return (f'the tool centre point is {1000 * beside:.0f} mm beside the middle between the '
                'pads')
    return ''


def _line(frame: str, T: FloatArray) -> str:
    xyz, rpy = (', '.join(f'{round(float(v), 4) + 0.0:g}' for v in values)
                for values in (T[:3, 3], euler.mat2euler(T[:3, :3], axes='sxyz')))
    return f'tool: {{frame: {frame}, xyz: [{xyz}], rpy: [{rpy}]}}'
