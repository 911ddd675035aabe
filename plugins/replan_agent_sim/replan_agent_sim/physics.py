# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The only thread that touches a simulated world, and the speed of its time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from replan_agent.robot.mujoco.world import World

T = TypeVar('T')

TICK_S = 0.008  # robot time between two looks at the world: two control periods of the arm
BEHIND_S = 0.2  # a machine that is this late does not catch up: time goes on from now
# MuJoCo releases Python's lock (GIL) in every step of 0.02 ms. A busy thread then keeps it for a
# switch interval, by default 5 ms: next to two executors a motion took 40 times as long.
SWITCH_S = 0.0005
REACTION_S = 0.1  # wall time to notice a contact and to cancel a motion


class Physics:
    """Runs jobs on a world in its own thread, one after the other.

    `realtime_factor` is the speed of robot time; 0: as fast as possible while a job steps the
    world, otherwise time stands still. `on_tick` is called in the thread, every TICK_S of robot
    time and at each `idle`. It returns True if ROS nodes need wall time to react to something. At
    full speed, `reaction` then sleeps for that many seconds, or less if they have reacted.
    `on_pause` is called in the thread, before the world goes on, if the process did not run for
    some seconds; it gets their number.
    """

    def __init__(self, world: World, realtime_factor: float, on_tick: Callable[[], bool],
                 reaction: Callable[[float], object],
                 on_pause: Callable[[float], object] = lambda seconds: None) -> None:
        sys.setswitchinterval(min(SWITCH_S, sys.getswitchinterval()))
        self._world = world
        self._factor = realtime_factor
        self._on_tick = on_tick
        self._reaction, self._on_pause = reaction, on_pause
        self._thread = ThreadPoolExecutor(1, thread_name_prefix='physics')
        self._idling: Future[None] | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._wall, self._robot = time.monotonic(), world.time
        self._ticked = time.monotonic()  # the last tick, or the start of a job
        world.on_step(self._tick, TICK_S)

    def do(self, job: Callable[[], T]) -> Future[T]:
        """Run `job` in the physics thread; the future of its result."""
        return self._thread.submit(self._do, job)

    def idle(self) -> None:
        """Give the world a moment, unless it is busy; call it regularly."""
        with self._lock:
            if not self._closing.is_set() and (self._idling is None or self._idling.done()):
                self._idling = self.do(self._idle)

    def idle_every(self, period_s: float) -> None:
        """Call `idle` regularly, from a thread of its own, until the end."""
        def idling() -> None:
            while not self._closing.wait(period_s):
                self.idle()

        threading.Thread(target=idling, name='idling', daemon=True).start()

    def close(self) -> None:
        """End the thread. This waits for a running job: cancel it first."""
        with self._lock:
            self._closing.set()
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _do(self, job: Callable[[], T]) -> T:
        self._ticked = time.monotonic()
        return job()

    def _idle(self) -> None:
        if self._factor > 0:
            due = self._robot + (time.monotonic() - self._wall) * self._factor
            steps = int((min(due, self._world.time + BEHIND_S) - self._world.time)
                        / self._world.timestep)
            if steps > 0:
                self._world.step(steps)
        self._on_tick()

    def _tick(self) -> None:
        waited_s = self._pace() if self._factor > 0 else 0.0
        before, self._ticked = self._ticked, time.monotonic()
        self._on_pause(self._ticked - before - waited_s)
        if self._on_tick() and self._factor <= 0:
            self._reaction(REACTION_S)

    def _pace(self) -> float:
        """Wait until the wall clock has caught up with robot time; returns the due time, s."""
        early = (self._world.time - self._robot) / self._factor - (time.monotonic() - self._wall)
        if early > 0:
            self._closing.wait(early)
        elif early < -BEHIND_S:
            self._wall, self._robot = time.monotonic(), self._world.time
        return max(0.0, early)
