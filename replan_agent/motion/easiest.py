"""A joint motion to any reachable posture at a target, for any motion planner."""

from __future__ import annotations

from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose

from .motion_protocols import MotionOutcome, MotionPlanner, MotionRequest, blocked_by


def to_easiest_posture(planner: MotionPlanner, start: FloatArray, target: Pose,
                       request: MotionRequest, ctx: Context) -> MotionOutcome | None:
    """The motion to the first posture that has one, or why none has; None if no posture exists."""
    ctx.check()
    found = planner.postures(target, start, request)
    if found.contact is not None:
        return blocked_by(found.contact, 'at the goal')
    if not found.joints:
        return None
    outcome = MotionOutcome(None)
    for joints in found.joints:
        outcome = planner.to_joints(start, joints, request, ctx)
        if outcome.trajectory is not None:
            break
    return outcome
