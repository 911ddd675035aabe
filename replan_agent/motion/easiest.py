# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Free postures at a target, and a motion to the easiest of them, for any motion planner."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose

from . import motion_protocols as motions

MOST_POSTURES = 8
MOST_ALTERNATIVES = 80  # solutions to check for them


def free_postures(found: Iterator[FloatArray], collision: motions.CollisionChecker | None,
                  request: motions.MotionRequest) -> motions.Postures:
    """The first of these IK solutions that touch nothing, or what the first one touches."""
    if collision is None:
        return motions.Postures(tuple(islice(found, MOST_POSTURES)))
    collision.use(request)
    free: list[FloatArray] = []
    contact = None
    for joints in islice(found, MOST_ALTERNATIVES):
        touched = collision.first_contact(joints)
        contact = contact or touched
        free += [joints] if touched is None else []
        if len(free) == MOST_POSTURES:
            break
    return motions.Postures(tuple(free), None if free else contact)


def to_easiest_posture(planner: motions.MotionPlanner, start: FloatArray, target: Pose,
                       request: motions.MotionRequest, ctx: Context
                       ) -> motions.MotionOutcome | None:
    """The motion to the first posture that has one, or why none has; None if no posture exists."""
    ctx.check()
    found = planner.postures(target, start, request)
    if found.contact is not None:
        return motions.blocked_by(found.contact, 'at the goal')
    if not found.joints:
        return None
    outcome = motions.MotionOutcome(None)
    for joints in found.joints:
        outcome = planner.to_joints(start, joints, request, ctx)
        if outcome.trajectory is not None:
            break
    return outcome
