"""Pictures of the world as it moves, drawn only when a browser asks for one."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np

from replan_agent.domain.robot_state import CameraError
from replan_agent.robot.mujoco.shown_world import ShownWorld

WIDTH, HEIGHT = 640, 480
QUALITY = 80
LONGEST_WAIT_S = 10.0
LOOK_S = 0.03  # how often a browser that waits looks for a new state


class LivePicture:
    """The newest picture for all browsers: each state is drawn at most once, in one thread.

    A browser asks for the next picture when it has shown the last one, so a slow one gets fewer.
    """

    def __init__(self, pictures_per_s: float) -> None:
        self._pause_s = 1 / pictures_per_s
        self._drawer = ThreadPoolExecutor(1, 'drawer')
        self._drawing = asyncio.Lock()
        # The world, and how many states the worlds before it had; replaced in one go.
        self._shown: tuple[ShownWorld | None, int] = (None, 0)
        self._number, self._jpeg, self._at = 0, b'', 0.0
        self.problem = ''  # why there are no pictures
        self.ended = False

    def show(self, world: ShownWorld | None) -> None:
        """Draw this world from now on. From any thread."""
        old = self._shown[0]
        self._shown = (world, self._newest())
        if old is not None:
            self._drawer.submit(old.close)

    async def after(self, number: int) -> tuple[int, bytes] | None:
        """The first picture with a higher number; None if nothing moves for a while."""
        until = time.monotonic() + LONGEST_WAIT_S
        while time.monotonic() < until and not self.ended:
            if number > self._newest():  # of an earlier server
                number = 0
            async with self._drawing:
                if self._number <= number < self._newest() and not self.problem:
                    await asyncio.sleep(max(0.0, self._at + self._pause_s - time.monotonic()))
                    self._at = time.monotonic()
                    await asyncio.get_running_loop().run_in_executor(self._drawer, self._draw)
                if self._number > number:
                    return self._number, self._jpeg
            await asyncio.sleep(LOOK_S)
        return None

    def close(self) -> None:
        """Free the graphics memory, when the last picture is drawn."""
        self.show(None)
        self._drawer.shutdown()

    def _newest(self) -> int:
        world, before = self._shown
        return before + (world.count if world else 0)

    def _draw(self) -> None:
        world, before = self._shown
        if world is None:
            return
        try:
            number, rgb = world.picture(WIDTH, HEIGHT)
        except CameraError as error:
            self.problem = str(error)
            return
        bgr = np.ascontiguousarray(rgb[..., ::-1])
        jpeg = cv2.imencode('.jpg', bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
        self._number, self._jpeg = before + number, bytes(jpeg)
