# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures, depth and intrinsics: messages to numpy. No cv_bridge, no node."""

from __future__ import annotations

from typing import Any

import numpy as np
from sensor_msgs.msg import CameraInfo, Image

from replan_agent.domain.pose import FloatArray

from .message_fields import MessageError

# Where red, green and blue are in a pixel, and how many bytes a pixel has.
COLOURS = {'rgb8': ((0, 1, 2), 3), 'bgr8': ((2, 1, 0), 3),
           'rgba8': ((0, 1, 2), 4), 'bgra8': ((2, 1, 0), 4)}  # fmt: skip
DEPTHS = {'32FC1': (np.float32, 1.0), '16UC1': (np.uint16, 1e-3)}  # type, metres per unit


def rgb_from_msg(msg: Image) -> FloatArray:
    """(h, w, 3) uint8, from any of COLOURS."""
    if msg.encoding not in COLOURS:
        raise MessageError(f'colour image: encoding {msg.encoding!r} is not one of: '
                           f'{", ".join(COLOURS)}')
    channels, count = COLOURS[msg.encoding]
    pixels = _pixels(msg, np.dtype(np.uint8), count)
    return np.ascontiguousarray(pixels[..., channels])


def depth_from_msg(msg: Image) -> FloatArray:
    """(h, w) float32, m; 0 where it is unknown."""
    if msg.encoding not in DEPTHS:
        raise MessageError(f'depth image: encoding {msg.encoding!r} is not one of: '
                           f'{", ".join(DEPTHS)}')
    kind, metres = DEPTHS[msg.encoding]
    order: Any = '>' if msg.is_bigendian else '<'
    raw = _pixels(msg, np.dtype(kind).newbyteorder(order), 1)[..., 0]
    return np.nan_to_num(raw.astype(np.float32) * np.float32(metres),
                         nan=0.0, posinf=0.0, neginf=0.0)


def intrinsics_from_msg(msg: CameraInfo) -> FloatArray:
    """K (3x3); MessageError if the camera is not calibrated."""
    intrinsics = np.array(msg.k, dtype=float).reshape(3, 3)
    if intrinsics[0, 0] <= 0 or not np.all(np.isfinite(intrinsics)):
        raise MessageError('camera info: the camera is not calibrated (k[0] must be positive)')
    return intrinsics


def _pixels(msg: Image, kind: np.dtype, count: int) -> FloatArray:
    """(h, w, count); rows may be longer than their pixels."""
    used = msg.width * count * kind.itemsize
    if msg.step < used or len(msg.data) < msg.step * msg.height or not msg.height:
        raise MessageError(f'{msg.encoding} image: {len(msg.data)} bytes do not make '
                           f'{msg.width}x{msg.height} pixels')
    data = np.frombuffer(msg.data, dtype=np.uint8)[:msg.step * msg.height]
    rows = np.ascontiguousarray(data.reshape(msg.height, msg.step)[:, :used])
    return rows.view(kind).reshape(msg.height, msg.width, count)
