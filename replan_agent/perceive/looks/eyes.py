# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cameras of a cell: one that stands still, one in the hand, or both."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.context import Context
from replan_agent.domain.hand import may_hold
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraError, CameraFrame, RobotState
from replan_agent.perceive.camera.fitting import Fitted
from replan_agent.perceive.camera.one_look import OneLook, look
from replan_agent.perceive.camera.plane import Area
from replan_agent.perceive.camera.view import View
from replan_agent.robot.robot_protocols import Camera, SeenRobot

KEPT_S = 60.0  # robot time
KEPT_LOOKS = 6
SAME_PLACE_M, SAME_TURN = 0.03, 0.998  # of the camera: cosine between its axes
SAME_WIDTH_M = 0.002  # the gripper has not moved
PAST_M = 0.008  # seeing this much farther than a point means that it is gone
GONE_SHARE = 0.15  # of the points of a thing
NO_DEPTH_M = 100.0
FROZEN_S = 1.0  # robot time, in which a camera gives a new picture
AROUND = np.ones((5, 5), np.uint8)  # pixels


@dataclass(frozen=True)
class CameraOnHand:
    """Gives the pictures of `camera` the pose that follows from the joints at that moment."""

    camera: Camera
    robot: SeenRobot
    arm: ArmModel
    T_hand_camera: Pose | None = None  # as mounted, if not as in the drawing

    def capture(self, ctx: Context) -> CameraFrame:
        frame = CameraFrame.checked(self.camera.capture(ctx))
        tcp = self.arm.kinematics.forward(self.robot.state().joints)
        return replace(frame, T_base_camera=self.arm.T_base_camera(tcp, self.T_hand_camera))


@dataclass(frozen=True)
class Taken:
    """The looks at one moment, the main one first, and the arm's state. `warnings` are remarks."""

    looks: tuple[OneLook, ...]
    state: RobotState
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Shot:
    """A picture, and the arm's state when it was taken; `since` is when it first came."""

    camera: Camera
    frame: CameraFrame
    state: RobotState
    since: float

    def is_same(self, other: _Shot) -> bool:
        """Whether all that a look depends on is the same, bit for bit: no time, no motion."""
        arm, its_arm, frame, its = self.state, other.state, self.frame, other.frame
        return (self.camera is other.camera and frame.stamp == its.stamp
                and (arm.stamp, arm.gripper_width) == (its_arm.stamp, its_arm.gripper_width)
                and all(np.array_equal(one, two) for one, two in (
                    (arm.joints, its_arm.joints), (frame.intrinsics, its.intrinsics),
                    (frame.T_base_camera.matrix(), its.T_base_camera.matrix()),
                    (frame.depth, its.depth), (frame.rgb, its.rgb))))

    @staticmethod
    def taken(camera: Camera, frame: CameraFrame, state: RobotState, before: _Shot | None,
              ) -> _Shot:
        """A shot with arrays of its own: a camera may write its next picture over this one.

        `before` is the last one of the same camera.
        """
        frame = replace(frame, rgb=np.array(frame.rgb), depth=np.array(frame.depth),
                        intrinsics=np.array(frame.intrinsics))
        since = state.stamp
        if before is not None and (old := before.frame).stamp == frame.stamp and np.array_equal(
                frame.rgb, old.rgb) and np.array_equal(frame.depth, old.depth, equal_nan=True):
            since = min(since, before.since)  # a clock may go back
        return _Shot(camera, frame, replace(state, joints=np.array(state.joints)), since)


@dataclass(frozen=True)
class _Kept:
    """An earlier look of the hand."""

    look: OneLook
    stamp: float
    gripper_width: float


@dataclass
class Eyes:
    """Takes a picture with each camera. Earlier looks of the hand stay valid for a while.

    They are valid while the gripper stays as it is and empty, and a thing of theirs only until a
    newer look sees past its place. The same picture of the same moment is worked on once: a task
    looks after a step that its skill has just looked at. `printed`: things may have print on
    them. `known`: where the table is, also where it is hidden.
    """

    fixed: Camera | None
    hand: Camera | None
    robot: SeenRobot
    arm: ArmModel
    printed: bool = False
    known: Area | None = None
    _kept: list[_Kept] = field(default_factory=list)
    _last: list[tuple[_Shot, OneLook]] = field(default_factory=list)
    _newest: dict[int, _Shot] = field(default_factory=dict)  # 0: the fixed camera's, 1: the hand's

    def look(self, ctx: Context) -> Taken:
        """What the cameras see now. Raises PerceptionError if there is no picture or no table."""
        failed: list[str] = []
        shots = self._shots(ctx, failed)
        now: list[OneLook] = []
        last, self._last = self._last, []
        state, hand_look = None, None
        for shot in shots:
            if ctx.cancel.cancelled:
                ctx.check()
            try:
                same = [seen for earlier, seen in last if shot.is_same(earlier)]
                now.append(OneLook(replace(same[0].picture), same[0].fits)  # not yet asked about
                           if same else self._seen(shot))
            except PerceptionError as error:
                failed.append(str(error))
                continue
            self._last.append((shot, now[-1]))
            state = shot.state
            hand_look = now[-1] if shot.camera is self.hand else None
        if state is None:
            raise PerceptionError('; '.join(failed) or 'there is no camera')
        earlier = [_without_gone(kept, now) for kept in self._kept if self._is_empty(state)
                   and abs(kept.gripper_width - state.gripper_width) <= SAME_WIDTH_M
                   and state.stamp - kept.stamp <= KEPT_S
                   and not _same_view(kept.look.view, now[-1])]
        looks = (*now, *(kept.look for kept in earlier))
        if hand_look is not None:
            earlier.append(_Kept(hand_look, state.stamp, state.gripper_width))
        self._kept = earlier[-KEPT_LOOKS:]
        return Taken(looks, state, tuple(f'one camera: {why}' for why in failed))

    def _shots(self, ctx: Context, failed: list[str]) -> list[_Shot]:
        """A picture of each camera that gives one; why another does not is added to `failed`.

        A picture that stays the same while time goes on is none: the camera is frozen.
        All are taken before the first one is worked on: the deadline is for the cameras. A
        machine that is slow to work on a picture has not lost its camera.
        """
        shots: list[_Shot] = []
        for place, camera in enumerate((self.fixed, self.hand)):
            if camera is None:
                continue
            if shots and not self._is_empty(shots[0].state):
                break  # what the hand carries is in front of its camera
            ctx.check()
            try:
                shot = _Shot.taken(camera, camera.capture(ctx), self.robot.state(),
                                   self._newest.get(place))
            except CameraError as error:
                failed.append(f'no picture: {error}')
                continue
            self._newest[place] = shot
            if shot.state.stamp - shot.since > FROZEN_S:
                failed.append('no new picture: the last one, with the stamp '
                              f'{shot.frame.stamp:g}, came {shot.state.stamp - shot.since:.1f} s '
                              'ago')
            else:
                shots.append(shot)
        return shots

    def _seen(self, shot: _Shot) -> OneLook:
        state = shot.state
        return look(View(shot.frame), self.arm, state.joints, state.gripper_width,
                    state.stamp, self.hand is not None, self.printed, self.known)

    def _is_empty(self, state: RobotState) -> bool:
        """Whether nothing can be between the pads."""
        return not may_hold(state.gripper_width, self.robot.max_gripper_width)


def _same_view(earlier: View, now: OneLook) -> bool:
    """Whether the camera is back where it was: the new look replaces the earlier one."""
    T, other = earlier.T_base_camera, now.view.T_base_camera
    return bool(np.linalg.norm(T[:3, 3] - other[:3, 3]) < SAME_PLACE_M
                and T[:3, 2] @ other[:3, 2] > SAME_TURN)


def _without_gone(kept: _Kept, now: list[OneLook]) -> _Kept:
    """The earlier look without the things whose place a newer look sees past."""
    gone = {fit for newer in now for fit in _gone(kept.look.fits, newer)}
    fits = tuple(fit for fit in kept.look.fits if fit not in gone)
    return replace(kept, look=OneLook(kept.look.picture, fits))


def _gone(fits: tuple[Fitted, ...], newer: OneLook) -> list[Fitted]:
    """The fits whose place this look sees past. At the edge of a thing it does so anyway."""
    view = newer.view
    nearest = cv2.erode(np.where(view.depth > 0, view.depth, np.float32(NO_DEPTH_M)), AROUND)
    limit = PAST_M + 4 * newer.picture.table.noise_m
    found = []
    for fit in fits:
        points = fit.points[::max(1, len(fit.points) // 400)]
        u, v, expected = view.project(points).T
        inside = ((expected > 0) & (u >= 0) & (v >= 0) & (u <= view.width_px - 1)
                  & (v <= view.height_px - 1))
        rows, columns = (np.rint(axis[inside]).astype(int) for axis in (v, u))
        measured = nearest[rows, columns]
        past = (measured < NO_DEPTH_M) & (measured - expected[inside] > limit)
        if np.count_nonzero(past) > GONE_SHARE * len(points):
            found.append(fit)
    return found
