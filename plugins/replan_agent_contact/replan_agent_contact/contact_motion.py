# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Motion in contact: a compliant stroke along a joint's line or arc, with a limit of force, and
a search by feel for a hole.

The arm is commanded with positions and feels forces with its joints, as in every other motion.
Its servos give way a little to what pushes the hand aside. Each short piece of the stroke goes on
from there, so a line that is a little wrong does not press on the joint's guide. Along the stroke
the force is watched all the time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from replan_agent import Arm, Call, Cause, Pose, Reason, SkillResult, failed
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.execute.arm import command_result, planning_failed
from replan_agent.execute.felt import UNEXPLAINED

from .handle import of_one_way
from .joint import Joint, JointKind

PIECE_M = 0.02  # of a stroke, between two measurements
SPEED, FEEL = 0.08, 0.02  # shares of the configured speed: on the way, and against a force
SOON, ENOUGH = 0.3, 0.8  # of the limit: what slows it down, and what ends it; it stops a bit later
TURN_FEEL, TURN_SOON = 0.05, 0.5  # the same for a hand that only turns: less of the arm moves
FIRM_NM = 30.0  # of any joint, whatever pushes
MOST_ASIDE_M = 0.015  # from the line or arc that the joint is believed to have
SEARCH, PRESS = 0.1, 0.02  # shares of the configured speed of a search: sideways, and down
LIGHT_N, MOST_SIDEWAYS_N = 2.0, 10.0  # of a search: on the surface, and along it
DIP_M, LIFT_M = 0.0014, 0.0004  # at each point down at most; up before the next: nothing drags
DROP_M = 0.0007  # deeper than the surface was at the last point: the tip is in the hole


@dataclass(frozen=True)
class Stroked:
    """How a stroke ended: how far the joint moved, as the hand tells, and against which force.

    Of a hand that only turns, forces are torques (N·m). `failure` is what ended it early; None if
    the whole way was made. `resisted`: the force along the way was at its limit, and a force at
    the hand explains what the joints felt. `felt` are the forces (N) at the end of each piece.
    """

    travel: float
    force_n: float
    failure: SkillResult | None = None
    resisted: bool = False
    felt: tuple[float, ...] = ()


def stroke(call: Call, arm: Arm, joint: Joint, by: float, force_n: float,
           follows: float = 1.0, piece_m: float = PIECE_M, calm: FloatArray | None = None
           ) -> Stroked:
    """Move the hand, which holds what the joint carries, until the joint moved `by`.

    It ends where more than `force_n` would be needed along the way. `follows`: see `Joint.moved`.
    `calm` is what the joints felt before the hand touched anything; without, it is what they
    feel now.
    """
    robot, begin, aside = call.kit.robot, arm.tcp(), np.zeros(3)
    calm = robot.state().external_torque if calm is None else calm
    pieces = max(1, round(abs(by) * joint.reach(begin) / piece_m))
    feel, soon = (TURN_FEEL, TURN_SOON) if joint.turns(begin) else (FEEL, SOON)
    number, slow, felt = 1, True, [0.0]
    while number <= pieces:
        slow = slow or number == pieces  # where a stop may be
        target = joint.moved(begin, by * number / pieces, follows)
        ahead = joint.twist(arm.tcp(), by)
        planned = call.kit.motion.straight(
            arm.joints(), target.moved(*aside),
            replace(arm.request, speed=feel if slow else SPEED), call.ctx)
        if planned.trajectory is None:
            return Stroked(joint.made(begin, arm.tcp()), max(felt),
                           planning_failed(of_one_way(planned)), felt=tuple(felt))
        weights = resisting(call, arm.joints(), ahead)
        held = robot.state().external_torque - calm
        limit = force_n * (ENOUGH if slow else soon)
        guard = ContactGuard(FIRM_NM, weights=tuple(weights.tolist()),
                             force_n=limit - float(weights @ held))
        answer = robot.execute(planned.trajectory, call.ctx, guard)
        torque = (held + answer.felt if answer.felt else robot.state().external_torque - calm)
        along = float(weights @ torque)
        felt.append(along)
        if not answer.success and along >= limit and not slow:
            slow = True
            continue
        if not answer.success:
            explained = unexplained(call, arm.joints(), torque, ahead) < UNEXPLAINED
            return Stroked(joint.made(begin, arm.tcp()), max(felt), command_result(answer),
                           along >= limit and explained, tuple(felt))
        off = np.subtract(arm.tcp().position, target.position)
        aside = off - ahead[:3] * (ahead[:3] @ off)
        aside *= min(1.0, MOST_ASIDE_M / max(float(np.linalg.norm(aside)), 1e-9))
        number, slow = number + 1, False
    return Stroked(joint.made(begin, arm.tcp()), max(felt), felt=tuple(felt))


def line(along: FloatArray, at: Pose) -> Joint:
    """A straight line as a joint: what moves along it is nothing but the hand."""
    x, y, z = (along / np.linalg.norm(along)).tolist()
    return Joint(JointKind.SLIDE, (x, y, z), at.position, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Sought:
    """What a search by feel found: something that may be the hole, after which way (m) along the
    surface and with which force (N) on it. `failure` is why there is nothing to try."""

    way_m: float
    force_n: float
    failure: SkillResult | None = None


@dataclass
class Search:
    """Brings the tip of what is held over the surface that it touches, and presses lightly at
    each of the points (m, sideways) until it drops in.

    `into` points into the hole, `start` is where the tip touched first. `calm`: see `stroke`.
    """

    call: Call
    arm: Arm
    into: Joint
    start: Pose
    points: Iterator[tuple[float, float]]
    calm: FloatArray

    def next(self) -> Sought:
        """Go on until the tip gets below the surface, or something holds it at its side."""
        down, way, most = np.array(self.into.axis), 0.0, 0.0
        side = np.cross(down, (0.0, 1.0, 0.0))
        sides, surface = np.array([side, np.cross(down, side)]), self._depth()
        for point in self.points:
            here = np.array(self.arm.tcp().position)
            target = self.start.moved(*(point @ sides + (surface - LIFT_M) * down))
            way += math.dist(here, target.position)
            slid = self._go(target, MOST_SIDEWAYS_N, SEARCH)
            if slid.success or slid.evidence.get('contact'):
                pressed = self._go(self.arm.tcp().moved(*(DIP_M * down)), LIGHT_N, PRESS)
                slid = slid if pressed.success or pressed.evidence.get('contact') else pressed
            if not (slid.success or slid.evidence.get('contact')):
                return Sought(way, most, slid)
            most = max(most, float(resisting(self.call, self.arm.joints(), down) @ self._felt()))
            if not slid.success or self._depth() - surface > DROP_M:
                return Sought(way, most)
            surface = self._depth()
        return Sought(way, most, failed(Reason.CONTROLLER_ABORTED, 'no opening was felt',
                                        cause=Cause.HELD_UP))

    def _go(self, target: Pose, force_n: float, speed: float) -> SkillResult:
        """A straight line that ends where more than this force is against it."""
        call, arm = self.call, self.arm
        planned = call.kit.motion.straight(arm.joints(), target,
                                           replace(arm.request, speed=speed), call.ctx)
        if planned.trajectory is None:
            return planning_failed(of_one_way(planned))
        ahead = np.subtract(target.position, arm.tcp().position)
        weights = resisting(call, arm.joints(), ahead / max(float(np.linalg.norm(ahead)), 1e-9))
        return command_result(call.kit.robot.execute(planned.trajectory, call.ctx, ContactGuard(
            FIRM_NM, weights=tuple(weights.tolist()),
            force_n=force_n - float(weights @ self._felt()))))

    def _depth(self) -> float:
        return self.into.made(self.start, self.arm.tcp())

    def _felt(self) -> FloatArray:
        return self.call.kit.robot.state().external_torque - self.calm


def spiral(step_m: float, reach_m: float) -> Iterator[tuple[float, float]]:
    """Points (m) from the middle outwards, all about as far from their neighbours."""
    turn = 0.0
    while (away := step_m * turn / math.tau) <= reach_m:
        yield away * math.cos(turn), away * math.sin(turn)
        turn += step_m / max(away, step_m)


def resisting(call: Call, joints: FloatArray, ahead: FloatArray) -> FloatArray:
    """The factors with which the joints' torques sum up to the force (N) against a motion.

    `ahead` is a direction (3), or this and an axis (3): against a turn it is a torque (N·m).
    """
    J = call.kit.arm.kinematics.jacobian(joints)
    return np.asarray(-ahead @ np.linalg.pinv(J.T, rcond=0.02)[:len(ahead)])


def unexplained(call: Call, joints: FloatArray, torque: FloatArray,
                ahead: FloatArray | None = None) -> float:
    """The share of the joints' torques that no force at the hand explains, nor a torque about the
    axis that it turns about: something else did."""
    J = call.kit.arm.kinematics.jacobian(joints)
    across = J[:3].T if ahead is None else np.vstack([J[:3], ahead[3:] @ J[3:]]).T
    left = torque - across @ np.linalg.lstsq(across, torque, rcond=0.02)[0]
    return float(np.linalg.norm(left) / max(float(np.linalg.norm(torque)), 1e-9))
