"""The one thread that touches a simulated world, and how fast its time passes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from replan_agent.robot.mujoco.world import World

T = TypeVar('T')

TICK_S = 0.01  # robot time between two looks at the clock
BEHIND_S = 0.2  # a machine that is this late is not chased: time goes on from here


class Physics:
    """Does jobs on a world in its own thread, one after the other.

    `realtime_factor` is how fast robot time passes; 0 is as fast as possible while a job steps
    the world, and not at all otherwise. Where things touch (`touching`), that is real time:
    whoever watches the arm's torques over ROS needs the time to react.
    `on_tick` is called in that thread: every TICK_S of robot time, and whenever `idle` is called.
    """

    def __init__(self, world: World, realtime_factor: float, on_tick: Callable[[], None],
                 touching: Callable[[], bool]) -> None:
        self._world = world
        self._factor = realtime_factor
        self._on_tick = on_tick
        self._touching = touching
        self._thread = ThreadPoolExecutor(1, thread_name_prefix='physics')
        self._idling: Future[None] | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._wall, self._robot = time.monotonic(), world.time
        world.on_step(self._tick, TICK_S)

    def do(self, job: Callable[[], T]) -> Future[T]:
        """What `job` will return, done in the physics thread."""
        return self._thread.submit(job)

    def idle(self) -> None:
        """Give the world a moment, unless it is busy; call it again and again."""
        with self._lock:
            if not self._closing.is_set() and (self._idling is None or self._idling.done()):
                self._idling = self.do(self._idle)

    def close(self) -> None:
        """End the thread; a job that runs must be told by its own means."""
        with self._lock:
            self._closing.set()
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _idle(self) -> None:
        if self._factor > 0:
            due = self._robot + (time.monotonic() - self._wall) * self._factor
            steps = int((min(due, self._world.time + BEHIND_S) - self._world.time)
                        / self._world.timestep)
            if steps > 0:
                self._world.step(steps)
        else:
            self._restart()
        self._on_tick()

    def _tick(self) -> None:
        self._pace()
        self._on_tick()

    def _pace(self) -> None:
        """Wait until the wall clock has caught up with robot time."""
        factor = self._factor or (1.0 if self._touching() else 0.0)
        if not factor:
            self._restart()
            return
        early = (self._world.time - self._robot) / factor - (time.monotonic() - self._wall)
        if early > 0:
            self._closing.wait(early)
        elif early < -BEHIND_S:
            self._restart()

    def _restart(self) -> None:
        self._wall, self._robot = time.monotonic(), self._world.time
