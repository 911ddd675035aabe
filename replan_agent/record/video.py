"""Videos and pictures of a run, written with OpenCV."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from replan_agent.domain.file_bytes import reason
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.text import has_controls, shown

SUFFIXES = ('.mp4', '.gif')
MP4_CODECS = ('vp09', 'mp4v')  # browsers play VP9; every OpenCV writes the older MPEG-4


class VideoError(Exception):
    """No video can be written. The message says why and what works."""


class VideoFile:
    """Collects RGB frames and writes them as .mp4 or .gif, by the name's ending."""

    def __init__(self, path: Path, fps: float) -> None:
        if path.suffix not in SUFFIXES:
            raise VideoError(f'{path}: a video ends in {" or ".join(SUFFIXES)}')
        if has_controls(str(path)):  # OpenCV ends the process
            raise VideoError(f'{shown(str(path))}: not a name for a video')
        self.path = path
        self._fps = fps
        self._frames: list[Any] = []
        self._mp4: Any = None

    def add(self, rgb: FloatArray) -> None:
        frame = np.ascontiguousarray(rgb[..., ::-1])
        if self.path.suffix == '.gif':
            self._frames.append(frame)
            return
        if self._mp4 is None:
            self._mp4 = self._open_mp4(frame.shape[1], frame.shape[0])
        self._mp4.write(frame)

    def close(self) -> None:
        """Finish the file. Without frames there is no file."""
        if self._mp4 is not None:
            self._mp4.release()
        elif self._frames:
            self._write_gif()

    def _open_mp4(self, width: int, height: int) -> Any:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for codec in MP4_CODECS:
            fourcc = cv2.VideoWriter.fourcc(*codec)
            writer = cv2.VideoWriter(str(self.path), fourcc, self._fps, (width, height))
            if writer.isOpened():
                return writer
        raise VideoError(f'{self.path}: this OpenCV ({cv2.__version__}) writes none of '
                         f'{", ".join(MP4_CODECS)}; try a .gif')

    def _write_gif(self) -> None:
        if not hasattr(cv2, 'imwriteanimation'):
            raise VideoError(f'{self.path}: OpenCV {cv2.__version__} writes no .gif (4.11 and '
                             'newer do); use .mp4')
        self.path.parent.mkdir(parents=True, exist_ok=True)
        animation = cv2.Animation()
        animation.frames = self._frames
        animation.durations = [round(1000 / self._fps)] * len(self._frames)
        cv2.imwriteanimation(str(self.path), animation)


def png(rgb: FloatArray) -> bytes:
    """An RGB image as PNG."""
    return bytes(cv2.imencode('.png', np.ascontiguousarray(rgb[..., ::-1]))[1])


def write_picture(path: Path, rgb: FloatArray) -> None:
    """Write an RGB image; makes the folder if needed. Raises VideoError."""
    if not cv2.haveImageWriter(f'picture{path.suffix}'):
        raise VideoError(f'{path}: no picture is written with this ending; use .png or .jpg')
    done, data = cv2.imencode(path.suffix, np.ascontiguousarray(rgb[..., ::-1]))
    if not done:
        raise VideoError(f'{path}: OpenCV cannot draw it; use .png or .jpg')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(data))
    except (OSError, ValueError) as error:
        raise VideoError(f'{path}: cannot be written: {reason(error)}') from error
