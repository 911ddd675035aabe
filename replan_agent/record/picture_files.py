# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""pictures/: what the camera sees at the key moments of a run: looks, failures, the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from replan_agent.domain import event as events
from replan_agent.domain.robot_state import CameraError, CameraFrame
from replan_agent.text.file_bytes import NotWritten, reason, write_whole, writing

PICTURES, CAMERA = 'pictures', 'camera.json'
MOST = 400  # in a run
JPEG_QUALITY = 85
# What a frame of another package's camera may raise, for example without a picture or a pose.
ODD_FRAME = (TypeError, ValueError, AttributeError, IndexError)

# The camera's frame now. The same frame object again means that nothing has changed.
FrameSource = Callable[[], CameraFrame | None]


class PictureFiles:
    """Writes the pictures of one run. What goes wrong ends the pictures, not the task.

    `problem` says what it was, `is_lost` whether that is a disk that took no more.
    """

    def __init__(self, run: Path, source: FrameSource | None) -> None:
        self.problem = ''
        self.is_lost = False
        self._run = run
        self._source = source
        self._last: tuple[CameraFrame, str] | None = None
        self._count = 0

    def file_for(self, event: events.Event) -> str:
        """The file with the picture of this event, seen from the run folder; '' without one."""
        if self._source is None or self.problem or not is_key_moment(event):
            return ''
        try:
            frame = self._source()
            if frame is None:
                return ''
            if self._last is None or self._last[0] is not frame:
                self._last = frame, self._written(frame)
            return self._last[1]
        except NotWritten as error:
            self.problem, self.is_lost = f'{PICTURES}: {error.why}', True
        except OSError as error:  # of the camera
            self.problem = f'{PICTURES}: {reason(error)}'
        except (CameraError, cv2.error, *ODD_FRAME) as error:
            self.problem = f'{PICTURES}: {error}'
        return ''

    def _written(self, frame: CameraFrame) -> str:
        if self._count >= MOST:
            self.problem = f'{PICTURES}: {MOST} are enough for a run'
            return ''
        folder = self._run / PICTURES
        if self._count == 0:
            with writing(folder):
                folder.mkdir(exist_ok=True)
            write_whole(folder / CAMERA, json.dumps(_camera(frame), indent=2) + '\n')
        self._count += 1
        name = f'{self._count:04d}.jpg'
        write_whole(folder / name, jpeg(frame.rgb))
        return f'{PICTURES}/{name}'


def is_key_moment(event: events.Event) -> bool:
    """Whether the event gets a picture."""
    if isinstance(event, events.StepFinished):
        return not event.result.success
    return isinstance(event, (events.ScenePerceived, events.AttemptRecorded, events.TaskFinished))


def jpeg(rgb: np.ndarray) -> bytes:
    """An RGB image as JPEG."""
    bgr = np.ascontiguousarray(rgb[..., ::-1])
    return bytes(cv2.imencode('.jpg', bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1])


def _camera(frame: CameraFrame) -> dict[str, object]:
    """What is needed to draw a point of the base frame into the pictures."""
    height, width = frame.rgb.shape[:2]
    return {'width': width, 'height': height, 'intrinsics': np.asarray(frame.intrinsics).tolist(),
            'T_base_camera': frame.T_base_camera.as_dict()}
