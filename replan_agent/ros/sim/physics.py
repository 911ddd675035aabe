"""The one thread that touches a simulated world, and how fast its time passes."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from replan_agent.robot.mujoco.world import World

T = TypeVar('T')

TICK_S = 0.008  # robot time between two looks at the world: two periods of the arm's control
BEHIND_S = 0.2  # a machine that is this late is not chased: time goes on from here
# MuJoCo lets go of Python's lock in every step. A busy thread then keeps it for a switch interval,
# by default 5 ms after a step of 0.02 ms: beside two executors a motion took 40 times as long.
SWITCH_S = 0.0005
REACTION_S = 0.1  # wall time to hear of a contact and to cancel a motion for it


class Physics:
    """Does jobs on a world in its own thread, one after the other.

    `realtime_factor` is how fast robot time passes; 0 is as fast as possible while a job steps
    the world, and not at all otherwise. `on_tick` is called in that thread: every TICK_S of robot
    time, and whenever `idle` is called. It says whether something happened that those who watch
    over ROS should have time to react to: hurried time then waits for them (`reaction`, which
    sleeps so many seconds of wall time, or less when they reacted).
    """

    def __init__(self, world: World, realtime_factor: float, on_tick: Callable[[], bool],
                 reaction: Callable[[float], object]) -> None:
        sys.setswitchinterval(min(SWITCH_S, sys.getswitchinterval()))
        self._world = world
        self._factor = realtime_factor
        self._on_tick = on_tick
        self._reaction = reaction
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
        self._on_tick()

    def _tick(self) -> None:
        if self._factor > 0:
            self._pace()
            self._on_tick()
        elif self._on_tick():
            self._reaction(REACTION_S)

    def _pace(self) -> None:
        """Wait until the wall clock has caught up with robot time."""
        early = (self._world.time - self._robot) / self._factor - (time.monotonic() - self._wall)
        if early > 0:
            self._closing.wait(early)
        elif early < -BEHIND_S:
            self._wall, self._robot = time.monotonic(), self._world.time
