"""Motion in contact: a compliant stroke along a joint's line or arc, with a limit of force.

The arm is commanded with positions and feels forces with its joints, as in every other motion.
Its servos give way a little to what pushes the hand aside. Each short piece of the stroke goes on
from there, so a line that is a little wrong does not press on the joint's guide. Along the stroke
the force is watched all the time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from replan_agent import Arm, Call, SkillResult
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.execute.arm import command_result, planning_failed
from replan_agent.execute.felt import UNEXPLAINED

from .handle import of_one_way
from .joint import Joint

PIECE_M = 0.02  # of a stroke, between two measurements
SPEED, FEEL = 0.2, 0.05  # shares of the configured speed
FIRM_NM = 30.0  # of any joint, whatever pushes
MOST_ASIDE_M = 0.015  # from the line or arc that the joint is believed to have


@dataclass(frozen=True)
class Stroked:
    """How a stroke ended: how far the joint moved, as the hand tells, and against which force.

    `failure` is what ended it early; None if the whole way was made. `resisted`: the force along
    the way was at its limit, and a force at the hand explains what the joints felt.
    """

    travel: float
    force_n: float
    failure: SkillResult | None = None
    resisted: bool = False


def stroke(call: Call, arm: Arm, joint: Joint, by: float, force_n: float,
           follows: float = 1.0) -> Stroked:
    """Move the hand, which holds what the joint carries, until the joint moved `by`.

    It ends where more than `force_n` would be needed along the way. `follows`: see `Joint.moved`.
    """
    robot, begin, aside, most = call.kit.robot, arm.tcp(), np.zeros(3), 0.0
    calm = robot.state().external_torque
    pieces = max(1, round(abs(by) * float(np.linalg.norm(joint.way(begin))) / PIECE_M))
    for number in range(1, pieces + 1):
        target = joint.moved(begin, by * number / pieces, follows)
        way = joint.way(arm.tcp())
        ahead = math.copysign(1.0, by) * way / np.linalg.norm(way)
        edge = number in (1, pieces)  # where a stop may be
        planned = call.kit.motion.straight(
            arm.joints(), target.moved(*aside),
            replace(arm.request, speed=FEEL if edge else SPEED), call.ctx)
        if planned.trajectory is None:
            return Stroked(joint.made(begin, arm.tcp()), most,
                           planning_failed(of_one_way(planned)))
        weights = resisting(call, arm.joints(), ahead)
        held = robot.state().external_torque - calm
        before = float(weights @ held)
        guard = ContactGuard(FIRM_NM, weights=tuple(weights.tolist()), force_n=force_n - before)
        answer = robot.execute(planned.trajectory, call.ctx, guard)
        torque = (held + answer.felt if answer.felt else robot.state().external_torque - calm)
        along = float(weights @ torque)
        most = max(most, along)
        if not answer.success:
            return Stroked(joint.made(begin, arm.tcp()), most, command_result(answer),
                           resisted=along >= force_n and unexplained(
                               call, arm.joints(), torque) < UNEXPLAINED)
        off = np.subtract(arm.tcp().position, target.position)
        aside = off - ahead * (ahead @ off)
        aside *= min(1.0, MOST_ASIDE_M / max(float(np.linalg.norm(aside)), 1e-9))
    return Stroked(joint.made(begin, arm.tcp()), most)


def resisting(call: Call, joints: FloatArray, ahead: FloatArray) -> FloatArray:
    """The factors with which the joints' torques sum up to the force (N) against a motion."""
    J = call.kit.arm.kinematics.jacobian(joints)
    return np.asarray(-ahead @ np.linalg.pinv(J.T, rcond=0.02)[:3])


def unexplained(call: Call, joints: FloatArray, torque: FloatArray) -> float:
    """The share of the joints' torques that no force at the hand explains: something else did."""
    across = call.kit.arm.kinematics.jacobian(joints)[:3].T
    left = torque - across @ np.linalg.lstsq(across, torque, rcond=0.02)[0]
    return float(np.linalg.norm(left) / max(float(np.linalg.norm(torque)), 1e-9))
