# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The world for people who watch: drawn by another process, so physics never waits for it."""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from typing import IO

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.robot.mujoco.world import World

from .solids import State

TAKEN_EVERY_S = 0.02  # of robot time; a copy of the positions takes microseconds
ONE_CORE = {'LP_NUM_THREADS': '1'}  # for Mesa, where it draws without a GPU: the arm has the rest
HEAD = struct.Struct('>IHH')  # bytes that follow; width and height, 0 for a world


class ShownWorld:
    """The world as it was a moment ago.

    The thread that steps the world only copies positions, so a watched task moves exactly as an
    unwatched one.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.count = 0  # of the states so far
        self.state = State.of(world)
        self.take()
        self.close = world.on_step(self.take, TAKEN_EVERY_S)

    def take(self) -> None:
        """Note where everything is. For the thread that steps the world, or while none does."""
        if self.count == 0 or (self.world.data.qpos != self.state.positions).any():
            self.state = State.of(self.world)
            self.count += 1

    def projection(self, width: int, height: int) -> FloatArray:
        """From the base frame (m) to pixels of such a picture, 3x4. While nothing moves."""
        camera = MujocoCamera(self.world)
        T_camera_base = np.linalg.inv(camera.pose().matrix())
        return np.asarray(camera.intrinsics(width, height) @ T_camera_base[:3])

    def without_state(self) -> bytes:
        """The world for another process: its model and camera, and no state, which may move."""
        return pickle.dumps(self.world.without_state())


class Drawer:
    """The process that draws; it starts with the first picture. For one thread at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._drawn: ShownWorld | None = None

    def picture(self, world: ShownWorld, width: int, height: int) -> tuple[int, bytes]:
        """The number of the state and how it looks, as JPEG. Raises GraphicsUnavailable."""
        number, positions = world.count, world.state.positions
        if self._process is None:
            self._process = _started()
        to, back = self._process.stdin, self._process.stdout
        assert to is not None and back is not None
        try:
            if self._drawn is not world:
                send(to, world.without_state())
                self._drawn = world
            send(to, positions.tobytes(), width, height)
            answer, is_drawn, _ = received(back)
        except (OSError, EOFError):
            self.close()
            raise GraphicsUnavailable('the process that draws has ended') from None
        if not is_drawn:
            raise GraphicsUnavailable(answer.decode())
        return number, answer

    def kill(self) -> None:
        """End the process, from any thread."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process; the next picture starts another."""
        self.kill()
        if self._process is not None:
            self._process.communicate()
        self._process = self._drawn = None


def _started() -> subprocess.Popen[bytes]:
    path = os.pathsep.join(filter(None, sys.path))  # it finds what we find
    return subprocess.Popen(
        [sys.executable, '-m', 'replan_agent_page.web.drawer'], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env={**ONE_CORE, **os.environ, 'PYTHONPATH': path},
        start_new_session=True)  # Ctrl-C is for us


def send(pipe: IO[bytes], content: bytes, width: int = 0, height: int = 0) -> None:
    """Write one message: bytes and two small numbers."""
    pipe.write(HEAD.pack(len(content), width, height) + content)
    pipe.flush()


def received(pipe: IO[bytes]) -> tuple[bytes, int, int]:
    """The next message. Raises EOFError at the end."""
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    size, width, height = HEAD.unpack(head)
    return pipe.read(size), width, height
