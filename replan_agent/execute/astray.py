"""Whether the arm stands where a motion should have ended. A controller may claim it wrongly."""

from __future__ import annotations

import math

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.motion_protocols import MotionPlanner

OFF_M = 0.01  # a tool farther from its goal than this misses what it is for
OFF_RAD = math.radians(6)
STILL_SHARE = 0.1  # a joint that made less of its way than this has not turned


def astray(trajectory: JointTrajectory, joints: FloatArray, motion: MotionPlanner
           ) -> SkillResult | None:
    """The failure if the encoders show the arm beside the end of the motion; None if it is there.

    The cause says what is wrong: the place of the tool, its orientation, or a joint that stood
    still.
    """
    here, goal = motion.forward(joints), motion.forward(trajectory.end)
    off_m, off_rad = here.distance_to(goal), here.angle_to(goal)
    if off_m <= OFF_M and off_rad <= OFF_RAD:
        return None
    still = _stood_still(trajectory, joints)
    cause = (Cause.NOT_TURNED if still and off_rad > OFF_RAD else
             Cause.OFF_TARGET if off_m > OFF_M else Cause.TURNED_WRONG)
    names = f'; {" and ".join(still)} did not turn' if still else ''
    return failed(Reason.CONTROLLER_ABORTED, 'the controller reports success, but the encoders '
                  f'show the tool {off_m * 1000:.0f} mm and {math.degrees(off_rad):.0f} degrees '
                  f'off its goal{names}', FailedStage.EXECUTION, cause=cause, off_target_m=off_m,
                  off_target_rad=off_rad)


def _stood_still(trajectory: JointTrajectory, joints: FloatArray) -> list[str]:
    """The joints that should have turned and did not, if they alone are off."""
    wanted = np.abs(trajectory.end - trajectory.start)
    made, off = np.abs(joints - trajectory.start), np.abs(joints - trajectory.end)
    still = (wanted > OFF_RAD) & (made < STILL_SHARE * wanted)
    if np.any(off[~still] > OFF_RAD / 2):
        return []
    return [name for name, is_still in zip(trajectory.names, still) if is_still]
