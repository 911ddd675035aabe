"""Pictures of the world as it moves, drawn only when a browser asks for one."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from replan_agent.domain.robot_state import CameraError
from replan_agent.robot.mujoco.shown_world import Drawer, ShownWorld

WIDTH, HEIGHT = 640, 480
LONGEST_WAIT_S = 2.0
LOOK_S = 0.03  # how often a browser that waits looks for a new state


class LivePicture:
    """The newest picture for all browsers: each state is drawn at most once, by one process.

    A browser asks for the next picture when it has shown the last one, so a slow one gets fewer.
    """

    def __init__(self, pictures_per_s: float) -> None:
        self._pause_s = 1 / pictures_per_s
        self._drawer, self._thread = Drawer(), ThreadPoolExecutor(1, 'drawer')
        self._drawing = asyncio.Lock()
        # The world, and how many states the worlds before it had; replaced in one go.
        self._shown: tuple[ShownWorld | None, int] = (None, 0)
        self._number, self._jpeg, self._at = 0, b'', 0.0
        self.problem = ''  # why there are no pictures
        self.ended = False

    def show(self, world: ShownWorld | None) -> None:
        """Draw this world from now on. From any thread."""
        self._shown, self.problem = (world, self._newest()), ''

    async def after(self, number: int) -> tuple[int, bytes] | None:
        """The first picture with a higher number; None if nothing moves for a while."""
        until = time.monotonic() + LONGEST_WAIT_S
        while time.monotonic() < until and not self.ended:
            if number > self._newest():  # of an earlier server
                number = 0
            async with self._drawing:
                pause_s = self._at + self._pause_s - time.monotonic()
                is_old = self._number < self._newest() and not self.problem
                if is_old and (pause_s <= 0 or self._number <= number < self._newest()):
                    await asyncio.sleep(max(0.0, pause_s))
                    self._at = time.monotonic()
                    await asyncio.get_running_loop().run_in_executor(self._thread, self._draw)
                if self._number > number:
                    return self._number, self._jpeg
            await asyncio.sleep(LOOK_S)
        return None

    def close(self) -> None:
        """End the process that draws."""
        self._drawer.kill()  # first: the thread may wait for it
        self._thread.shutdown()
        self._drawer.close()

    def _newest(self) -> int:
        world, before = self._shown
        return before + (world.count if world else 0)

    def _draw(self) -> None:
        world, before = self._shown
        if world is None:
            return
        try:
            number, jpeg = self._drawer.picture(world, WIDTH, HEIGHT)
        except CameraError as error:
            self.problem = str(error)
            return
        self._number, self._jpeg = before + number, jpeg
