# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Videos, written with OpenCV."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.record.picture import PictureError
from replan_agent.text.file_bytes import reason
from replan_agent.text.shown_text import has_controls, shown

SUFFIXES = ('.mp4', '.gif')
GIF_END = b';'
MP4_INDEX, LONG_BOX = b'moov', (1).to_bytes(4, 'big')
MP4_CODECS = ('vp09', 'mp4v')  # browsers play VP9; every OpenCV writes the older MPEG-4


class VideoFile:
    """Collects RGB frames and writes them as .mp4 or .gif, by the name's ending.

    The file gets its name when it is whole: OpenCV does not say that a disk is full.
    """

    def __init__(self, path: Path, fps: float) -> None:
        if path.suffix not in SUFFIXES:
            raise PictureError(f'{path}: a video ends in {" or ".join(SUFFIXES)}')
        if has_controls(str(path)):  # OpenCV ends the process
            raise PictureError(f'{shown(str(path))}: not a name for a video')
        self.path = path
        self._partial = path.with_name(f'{path.stem}.partial{path.suffix}')
        self._fps = fps
        self._frames: list[Any] = []
        self._mp4: Any = None
        self._count = 0

    def add(self, rgb: FloatArray) -> None:
        frame = np.ascontiguousarray(rgb[..., ::-1])
        if self.path.suffix == '.gif':
            self._frames.append(frame)
            return
        if self._mp4 is None:
            self._mp4 = self._open_mp4(frame.shape[1], frame.shape[0])
        self._mp4.write(frame)
        self._count += 1

    def close(self) -> None:
        """Finish the file. Without frames there is no file. Raises PictureError."""
        try:
            if self._mp4 is not None:
                self._mp4.release()
                whole = (_has_whole_boxes(self._partial)
                         and _frames_in(self._partial) >= self._count)
            elif self._frames:
                whole = self._write_gif()
            else:
                return
            if not whole:
                raise PictureError(f'{self.path}: it could not be written to its end; is the disk '
                                 'full?')
            os.replace(self._partial, self.path)
        except OSError as error:
            raise PictureError(f'{self.path}: cannot be written: {reason(error)}') from error
        finally:
            self._partial.unlink(missing_ok=True)

    def _open_mp4(self, width: int, height: int) -> Any:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for codec in MP4_CODECS:
            fourcc = cv2.VideoWriter.fourcc(*codec)
            writer = cv2.VideoWriter(str(self._partial), fourcc, self._fps, (width, height))
            if writer.isOpened():
                return writer
        raise PictureError(f'{self.path}: this OpenCV ({cv2.__version__}) writes none of '
                         f'{", ".join(MP4_CODECS)}; try a .gif')

    def _write_gif(self) -> bool:
        """Whether the whole file was written."""
        if not hasattr(cv2, 'imwriteanimation'):
            raise PictureError(f'{self.path}: OpenCV {cv2.__version__} writes no .gif (4.11 and '
                             'newer do); use .mp4')
        self.path.parent.mkdir(parents=True, exist_ok=True)
        animation = cv2.Animation()
        animation.frames = self._frames
        animation.durations = [round(1000 / self._fps)] * len(self._frames)
        return (cv2.imwriteanimation(str(self._partial), animation)
                and self._partial.read_bytes()[-1:] == GIF_END)


def _has_whole_boxes(mp4: Path) -> bool:
    """Whether the boxes of the file, each with its length in front, end where the file ends."""
    size, at, kinds = mp4.stat().st_size, 0, set[bytes]()
    with mp4.open('rb') as file:
        while at < size:
            file.seek(at)
            head = file.read(16)
            length = int.from_bytes(head[8:16] if head[:4] == LONG_BOX else head[:4], 'big')
            if length < 8:  # 0: it was never finished
                return False
            kinds.add(head[4:8])
            at += length
    return at == size and MP4_INDEX in kinds


def _frames_in(video: Path) -> int:
    """How many frames the file has; 0 if it cannot be opened."""
    capture = cv2.VideoCapture(str(video))
    try:
        return round(capture.get(cv2.CAP_PROP_FRAME_COUNT)) if capture.isOpened() else 0
    finally:
        capture.release()
