# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The first pose of the hand, of many that would do, from which a contact skill can work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from replan_agent import Call, MotionRequest, Pose, Reason, SkillResult, failed
from replan_agent.domain.pose import FloatArray
from replan_agent.execute.arm import planning_failed
from replan_agent.motion.motion_protocols import MotionOutcome, blocked_by

from .handle import of_one_way

Made = TypeVar('Made')


def first_way(call: Call, poses: Iterable[Pose], request: MotionRequest, where: str, nowhere: str,
              attempt: Callable[[Pose, FloatArray], Made | MotionOutcome], most: int | None = None,
              near: FloatArray | None = None) -> Made | SkillResult:
    """What `attempt` makes of the first TCP pose and joint angles that it can use.

    It returns the motion that fails, if one does: the first is why there is no way. `where` are
    the words for what is met there, `nowhere` for a hand that gets to none of the poses. `most`
    postures of a pose are tried, those `near` some joint angles first.
    """
    motion, first, pose = call.kit.motion, None, None
    start = call.kit.robot.home if near is None else near
    for pose in poses:
        call.ctx.check()
        found = motion.postures(pose, start, request)
        if found.contact is not None:
            first = first or blocked_by(found.contact, where)
        for joints in found.joints[:most]:
            made = attempt(pose, joints)
            if not isinstance(made, MotionOutcome):
                return made
            first = first or made
    if first is not None:
        return planning_failed(of_one_way(first))
    report = motion.solve_ik(pose, start).report if pose is not None else None
    return failed(Reason.UNREACHABLE, nowhere, 'planning', report)
