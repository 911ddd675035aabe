# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures as bytes, made with OpenCV."""

from __future__ import annotations

import cv2
import numpy as np

from replan_agent.domain.pose import FloatArray


class PictureError(Exception):
    """No picture or video can be made. The message says why and what works."""


def png(rgb: FloatArray) -> bytes:
    """An RGB image as PNG."""
    return bytes(cv2.imencode('.png', np.ascontiguousarray(rgb[..., ::-1]))[1])
