# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of the arm as it moves, or where all is, made only when a browser asks for one."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.robot_state import CameraError
from replan_agent.record.run_folder import as_json

from .shown_world import Drawer, ShownWorld
from .solids import Solids

WIDTH, HEIGHT = 640, 480
LONGEST_WAIT_S = 2.0
LOOK_S = 0.03  # how often a browser that waits looks for a new state
AGAIN_S = 5.0  # after a picture that could not be drawn


class PictureSource(Protocol):
    """Where pictures come from. Each state that can be shown has a higher number."""

    def newest(self) -> int:
        """The number of the last state; 0 if there is none yet. From any thread."""

    def picture(self) -> tuple[int, bytes]:
        """A picture of it as JPEG, and its number. Raises CameraError."""

    def interrupt(self) -> None:
        """End a `picture` that another thread waits for."""

    def close(self) -> None:
        """End what it started."""


class WorldSource:
    """A simulated world that is shown; another one can take its place."""

    def __init__(self) -> None:
        # The world, and how many states the worlds before it had; replaced in one go.
        self._shown: tuple[ShownWorld | None, int] = (None, 0)

    def show(self, world: ShownWorld | None) -> None:
        """Show this world from now on. From any thread."""
        self._shown = (world, self.newest())

    def newest(self) -> int:
        world, before = self._shown
        return before + (world.count if world else 0)

    def interrupt(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing was started."""


class WorldPictures(WorldSource):
    """Pictures of a simulated world, drawn by another process."""

    def __init__(self) -> None:
        super().__init__()
        self._drawer = Drawer()

    def picture(self) -> tuple[int, bytes]:
        world, before = self._shown
        if world is None:
            return 0, b''
        number, jpeg = self._drawer.picture(world, WIDTH, HEIGHT)
        return before + number, jpeg

    def interrupt(self) -> None:
        self._drawer.kill()

    def close(self) -> None:
        self._drawer.close()


class WorldStates(WorldSource):
    """Where all is in a simulated world, as JSON, for browsers that draw it themselves."""

    def __init__(self, workspace: WorkspaceConfig) -> None:
        super().__init__()
        self._workspace = workspace
        self._of: ShownWorld | None = None
        self._solids: tuple[int, Solids | None] = (0, None)
        self._lock = threading.Lock()

    def solids(self) -> bytes:
        """What there is to draw; b'' without a world. `world` says of which world."""
        world, _ = self._shown
        with self._lock:
            number, solids = self._made(world)
            return as_json({'world': number, **solids.shape}).encode() if solids else b''

    def picture(self) -> tuple[int, bytes]:
        """The newest state as JSON, and its number."""
        world, before = self._shown
        if world is None:
            return 0, b''
        count, state = world.count, world.state
        with self._lock:
            number, solids = self._made(world)
            told = {'world': number, **solids.at(state)} if solids else {}
        return before + count, as_json(told).encode()

    def _made(self, world: ShownWorld | None) -> tuple[int, Solids | None]:
        """The solids of a world, and which world it is, counted from 1."""
        if world is not self._of:
            made = Solids(world.world, self._workspace) if world else None
            self._of, self._solids = world, (self._solids[0] + 1, made)
        return self._solids


class LivePicture:
    """The newest picture for all browsers: each state is drawn at most once.

    A browser asks for the next picture when it has shown the last one, so a slow one gets fewer.
    """

    def __init__(self, source: PictureSource, pictures_per_s: float) -> None:
        self._source, self._pause_s = source, 1 / pictures_per_s
        self._thread = ThreadPoolExecutor(1, 'drawer')
        self._drawing = asyncio.Lock()
        self._number, self._jpeg, self._at = 0, b'', 0.0
        self.problem = ''  # why there are no pictures
        self._again_at = 0.0  # then the next try
        self.ended = False

    async def after(self, number: int) -> tuple[int, bytes] | None:
        """The first picture with a higher number; None if nothing moves for a while."""
        until = time.monotonic() + LONGEST_WAIT_S
        while time.monotonic() < until and not self.ended:
            if number > self._source.newest():  # of an earlier server
                number = 0
            async with self._drawing:
                pause_s = self._at + self._pause_s - time.monotonic()
                newest = self._source.newest()
                is_old = self._number < newest and time.monotonic() >= self._again_at
                if is_old and (pause_s <= 0 or self._number <= number < newest):
                    await asyncio.sleep(max(0.0, pause_s))
                    self._at = time.monotonic()
                    await asyncio.get_running_loop().run_in_executor(self._thread, self._draw)
                if self._number > number:
                    return self._number, self._jpeg
            await asyncio.sleep(LOOK_S)
        return None

    def try_again(self) -> None:
        """Draw again at once, whatever went wrong before: the source shows something else."""
        self.problem, self._again_at = '', 0.0

    def close(self) -> None:
        """End what draws."""
        try:
            self._source.interrupt()
            self._thread.shutdown()
        finally:
            self._source.close()

    def _draw(self) -> None:
        try:
            number, jpeg = self._source.picture()
        except CameraError as error:
            self.problem, self._again_at = str(error), time.monotonic() + AGAIN_S
            return
        self.problem = ''
        if jpeg:
            self._number, self._jpeg = number, jpeg
