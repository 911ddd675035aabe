# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the hand holds: one belief, the evidence that it rests on, and the rules that change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .pose import FloatArray, Pose
from .robot_state import RobotState
from .scene import ArmSnapshot, Scene, SceneObject
from .skill import Reason, SkillResult, SkillSpec

SLIPPING_M = 0.0003  # pads that come closer than this in a lift: a firm grip keeps 0.1 mm
CLOSED_M = 0.002  # pads closer than this hold nothing
OPEN_M = 0.003  # nor do pads this close to fully open
WIDTH_SLACK_M = 0.007  # pads give a little, and the sizes of what they hold are estimates
STOOD_STILL_M = 0.002  # a smaller motion of the fingers is none
SLIPPED_M = 0.004  # pads that moved more than this have let go,
ABOVE_M = 0.02  # fingers end less than this below the TCP
LEAST_SHARE = 0.5  # or that are closer than this share of the width of the grasp
NEVER = float('-inf')


def may_hold(width_m: float, widest_m: float) -> bool:
    """Whether something can be between pads this far apart; open they are `widest_m` apart."""
    return CLOSED_M < width_m < widest_m - OPEN_M


def have_let_go(grasp_m: float, now_m: float) -> bool:
    """Whether pads that held something `grasp_m` wide no longer hold it, now `now_m` apart.

    What is thinner than SLIPPED_M slips out and hardly moves them: closed pads hold nothing.
    """
    return now_m <= CLOSED_M or abs(now_m - grasp_m) > SLIPPED_M or now_m < LEAST_SHARE * grasp_m


def slid_in_grip(evidence: Mapping[str, Any]) -> bool | None:
    """Whether the pads came closer in a lift, as far as the evidence of a step tells."""
    closed, now = evidence.get('closed_width'), evidence.get('gripper_width')
    return None if closed is None or now is None else closed - now > SLIPPING_M


def never_held(arm: ArmSnapshot | None, closed_m: float, thing: SceneObject) -> bool:
    """Whether fingers that closed to `closed_m` are still so, surely above a thing: stuck."""
    return (arm is not None and abs(arm.gripper_width - closed_m) <= STOOD_STILL_M
            and arm.tcp.position[2] - thing.top_z > ABOVE_M)


def T_tcp_thing(thing: SceneObject, arm: ArmSnapshot) -> FloatArray:
    """How a thing is in the hand, from a scene that shows both."""
    return np.asarray(np.linalg.inv(arm.tcp.matrix()) @ thing.pose.matrix())


@dataclass(frozen=True)
class HandBelief:
    """What the hand holds (None: nothing), and why that is believed.

    The encoders: `grasp_m` is how far apart the pads were at the grasp. The last verified grasp
    or release was at `since` (robot time, s). What is seen: `thing`, at this pose in the hand; if
    the hand hid it from the camera, `seen` is False and the pose is a guess.
    """

    held: str | None = None
    grasp_m: float = 0.0
    since: float = NEVER
    thing: SceneObject | None = None
    T_tcp_thing: FloatArray | None = field(default=None, compare=False)
    seen: bool = True

    @staticmethod
    def of(scene: Scene) -> HandBelief:
        """What a scene shows in the hand."""
        thing, arm = scene.in_hand, scene.arm
        if thing is None or arm is None:
            return HandBelief()
        return HandBelief(thing.name, arm.gripper_width, thing=thing,
                          T_tcp_thing=T_tcp_thing(thing, arm))

    def felt(self, width_m: float, stamp: float = NEVER) -> HandBelief:
        """The belief after a look at the encoders: pads that have let go hold nothing."""
        if self.held is None or not have_let_go(self.grasp_m, width_m):
            return self
        return HandBelief(since=stamp)

    def after(self, spec: SkillSpec, args: Mapping[str, Any], result: SkillResult,
              state: RobotState) -> HandBelief:
        """The belief after the motion or the check of a skill has ended like this."""
        slipped = spec.effect.takes and result.reason is Reason.GRASP_SLIPPED
        if not slipped and not (result.success and spec.effect.changes_hand):
            return self
        held = None if slipped else spec.effect.held_after(args, self.held)
        return HandBelief(held, state.gripper_width, state.stamp)

    def told_in(self, scene: Scene) -> Scene:
        """The scene with what the hand really holds.

        A picture from before the last grasp or release does not know. A fresh one is right,
        unless it does not show the object that the pads still feel.
        """
        if self.since > NEVER and (scene.stale or scene.stamp < self.since):
            return replace(scene, held=self.held)
        if self.held is None or scene.held is not None or scene.get(self.held) is not None:
            return scene
        there = self.at(scene.arm, scene.stamp)
        return replace(scene, held=self.held, objects=(*scene.objects, *filter(None, [there])))

    def at(self, arm: ArmSnapshot | None, stamp: float) -> SceneObject | None:
        """The thing in the hand where the arm is now; None if none is known to be there."""
        if self.thing is None or self.T_tcp_thing is None or arm is None:
            return None
        pose = Pose.from_matrix(arm.tcp.matrix() @ self.T_tcp_thing)
        return replace(self.thing, pose=pose, seen_at=stamp)
