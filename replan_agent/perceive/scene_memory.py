"""Keeps the scene between looks, and handles looks that show nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from replan_agent.agent.ports import Perception, PerceptionError
from replan_agent.domain import franka
from replan_agent.domain.buildable import with_buildable_things
from replan_agent.domain.config import SceneMemoryConfig
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.out_of_sight import Sight, still_there
from replan_agent.domain.pads import CLOSED_M, OPEN_M, have_let_go
from replan_agent.domain.part_failed import checked_scene, not_finite
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape

REPEATED_S = 0.1  # a stamp that stays the same for longer is an old picture's
HELD_M = (CLOSED_M, franka.MAX_GRIPPER_WIDTH_M - OPEN_M)  # pads that hold something: how far apart
AROUND_M = 0.03  # beside a thing, the hand may still have taken it


class SceneMemory:
    """Wraps another Perception and remembers what it saw.

    New objects replace the remembered ones. If a look gives no objects, an old picture, an error
    or a timeout, the last scene is kept, marked stale and with a warning. No objects are no
    failure if the hand may have taken what was there. `sight` says which places the cameras do
    not see: what was there may still be there. An object in the gripper moves with it.
    `robot_time` gives the robot's time (s): while it passes, the stamps of scenes must grow.
    """

    def __init__(self, perception: Perception, config: SceneMemoryConfig | None = None,
                 sight: Sight | None = None,
                 robot_time: Callable[[], float] = lambda: 0.0) -> None:
        self._perception = perception
        self._config = config or SceneMemoryConfig()
        self._sight, self._has_sight = sight or Sight(), sight is not None
        self._robot_time = robot_time
        self._last: Scene | None = None
        self._newest = (-math.inf, 0.0)  # the latest stamp, and the robot's time when it came

    @property
    def name(self) -> str:
        return self._perception.name

    @property
    def uses_model(self) -> bool:
        return self._perception.uses_model

    def observe(self, ctx: Context) -> Scene:
        """The scene now, or the last one marked stale. Raises PerceptionError without either."""
        limit = self._config.look_timeout
        try:
            fresh = checked_scene(self._perception.observe(ctx.within(limit)), self.name)
            odd = not_finite(fresh)
            if odd:
                raise PerceptionError(f'the place or the size of {odd} is no number')
            fresh = with_buildable_things(fresh)
        except PerceptionError as error:
            return self._kept(str(error))
        except DeadlineExceeded:
            ctx.check()  # raises if the caller's own deadline is over
            return self._kept(f'no scene within look_timeout={limit:g}s')
        old = self._repeats(fresh)
        if old:
            return self._kept(old)
        scene = self._completed(fresh)
        if self._last is not None and not _things(scene) and not all(
                _may_be_in_hand(thing, scene.arm) for thing in _things(self._last)):
            return self._kept('it shows no object')
        self._last = scene
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
        unseen = [o for o in _things(self._last) if fresh.get(o.name) is None]
        carried = self._carried(unseen, fresh)
        if carried is not None:
            fresh = replace(fresh, objects=(*fresh.objects, carried), held=carried.name)
        kept = still_there(self._last, fresh, self._sight, self._config.hidden_keep_s)
        return replace(fresh, objects=(*fresh.objects, *kept))

    def _carried(self, unseen: list[SceneObject], fresh: Scene) -> SceneObject | None:
        """The unseen object that the gripper still holds, at its current place."""
        assert self._last is not None
        before, now = self._last.arm, fresh.arm
        thing = next((o for o in unseen if o.name == self._last.held), None)
        if thing is None or before is None or now is None or fresh.held is not None:
            return None
        there = replace(thing, pose=_moved_along(thing.pose, before, now), seen_at=fresh.stamp)
        gone = have_let_go(before.gripper_width, now.gripper_width) or (
            self._has_sight and self._sight.sees_past(there))
        return None if gone else there


def _things(scene: Scene) -> list[SceneObject]:
    return [o for o in scene.objects if o.shape is not Shape.TABLE]


def _may_be_in_hand(thing: SceneObject, arm: ArmSnapshot | None) -> bool:
    """Whether the pads are on something above where the thing was: then it may be that."""
    if arm is None or not HELD_M[0] < arm.gripper_width < HELD_M[1]:
        return False
    off = np.abs(np.subtract(thing.position, arm.tcp.position))
    return bool(np.all(off[:2] < thing.half_extents_in_base()[:2] + AROUND_M))


def _moved_along(pose: Pose, before: ArmSnapshot, now: ArmSnapshot) -> Pose:
    T = now.tcp.matrix() @ np.linalg.inv(before.tcp.matrix()) @ pose.matrix()
    return Pose.from_matrix(T)
