# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures as files, written with OpenCV."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.record.picture import PictureError
from replan_agent.text.file_bytes import NotWritten, reason, write_whole


def write_picture(path: Path, rgb: FloatArray) -> None:
    """Write an RGB image; makes the folder if needed. Raises PictureError."""
    if not cv2.haveImageWriter(f'picture{path.suffix}'):
        raise PictureError(f'{path}: no picture is written with this ending; use .png or .jpg')
    done, data = cv2.imencode(path.suffix, np.ascontiguousarray(rgb[..., ::-1]))
    if not done:
        raise PictureError(f'{path}: OpenCV cannot draw it; use .png or .jpg')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, bytes(data))
    except NotWritten as error:
        raise PictureError(str(error)) from error
    except (OSError, ValueError) as error:
        raise PictureError(f'{path}: cannot be written: {reason(error)}') from error
