# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Keeps the scene between looks, and handles looks that show nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from replan_agent.agent.ports import Perception
from replan_agent.domain.config import SceneMemoryConfig
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.hand import HandBelief, may_hold
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.geometry.buildable import with_buildable_things
from replan_agent.geometry.out_of_sight import Sight, still_there

from .wrapped import WrappedPerception

EMPTY_LOOKS = 2  # in a row; the first one may be a bad picture
REPEATED_S = 0.1  # a stamp that stays the same for longer is an old picture's
AROUND_M = 0.03  # beside a thing, the hand may still have taken it


class SceneMemory(WrappedPerception):
    """Wraps another Perception and remembers what it saw.

    New objects replace the remembered ones. If a look gives no objects, an old picture, an error
    or a timeout, the last scene is kept, marked stale and with a warning. No objects are no
    failure if the hand may have taken what was there. `sight` says which places the cameras do
    not see: what was there may still be there. An object in the gripper moves with it.
    `robot_time` gives the robot's time (s): while it passes, the stamps of scenes must grow.
    `hand` is that of the arm: all scenes say so.
    """

    def __init__(self, perception: Perception, config: SceneMemoryConfig | None = None,
                 sight: Sight | None = None,
                 robot_time: Callable[[], float] = lambda: 0.0,
                 hand: HandShape | None = None) -> None:
        super().__init__(perception)
        self._config = config or SceneMemoryConfig()
        self._sight, self._has_sight = sight or Sight(), sight is not None
        self._robot_time = robot_time
        self._hand = hand
        self._last: Scene | None = None
        self._empty = 0  # looks in a row that show no object
        self._newest = (-math.inf, 0.0)  # the latest stamp, and the robot's time when it came

    def observe(self, ctx: Context) -> Scene:
        """The scene now, or the last one marked stale. Raises PerceptionError without either."""
        limit = self._config.look_timeout
        try:
            fresh = Scene.checked(self._perception.observe(ctx.within(limit)), self.name)
            if odd := fresh.not_finite:
                raise PerceptionError(f'the place or the size of {odd} is no number')
            fresh = replace(with_buildable_things(fresh), hand=self._hand)
        except PerceptionError as error:
            return self._kept(str(error))
        except DeadlineExceeded:
            ctx.check()  # raises if the caller's own deadline is over
            return self._kept(f'no scene within look_timeout={limit:g}s')
        if old := self._repeats(fresh):
            return self._kept(old)
        scene = self._completed(fresh)
        if self._last is not None and not _things(scene) and not all(
                self._may_be_in_hand(thing, scene.arm) for thing in _things(self._last)):
            self._empty += 1
            if self._empty < EMPTY_LOOKS:
                return self._kept('it shows no object')
        self._last, self._empty = scene, 0
        return scene

    def _repeats(self, fresh: Scene) -> str:
        """Why the scene is an old one, although the robot's time went on; '' if it is new."""
        (stamp, came_at), now = self._newest, self._robot_time()
        if fresh.stamp > stamp:
            self._newest = (fresh.stamp, now)
        elif now - came_at > REPEATED_S:
            return (f'its stamp is {fresh.stamp:.3f} s again, and {now - came_at:.1f} s have '
                    'passed: an old picture')
        return ''

    def _kept(self, why: str) -> Scene:
        """The last scene, marked stale. Raises PerceptionError if there is none."""
        if self._last is None:
            raise PerceptionError(why)
        warning = f'recapture failed ({why}); keeping {len(_things(self._last))} objects'
        return replace(self._last, stale=True, warnings=(warning,))

    def _completed(self, fresh: Scene) -> Scene:
        """The fresh scene plus the one in the gripper and what is believed to be still there."""
        if self._last is None:
            return fresh
        fresh = self._with_carried(self._last, fresh)
        kept = still_there(self._last, fresh, self._sight, self._config.hidden_keep_s)
        return replace(fresh, objects=(*fresh.objects, *kept))

    def _with_carried(self, before: Scene, fresh: Scene) -> Scene:
        """The fresh scene plus an unseen object that the gripper still holds, where it is now."""
        if before.held is None or fresh.arm is None:
            return fresh
        now = HandBelief.of(before).felt(fresh.arm.gripper_width).told_in(fresh)
        if now is fresh or now.in_hand is None:
            return fresh
        return fresh if self._has_sight and self._sight.sees_past(now.in_hand) else now

    def _may_be_in_hand(self, thing: SceneObject, arm: ArmSnapshot | None) -> bool:
        """Whether the pads are on something above where the thing was: then it may be that."""
        widest_m = self._hand.max_width_m if self._hand is not None else math.inf
        if arm is None or not may_hold(arm.gripper_width, widest_m):
            return False
        off = np.abs(np.subtract(thing.position, arm.tcp.position))
        return bool(np.all(off[:2] < thing.half_extents_in_base()[:2] + AROUND_M))


def _things(scene: Scene) -> list[SceneObject]:
    return [o for o in scene.objects if o.shape is not Shape.TABLE]
