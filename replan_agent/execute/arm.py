# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The motions that skills are made of: planned, then executed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed, succeeded
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.motion_protocols import MotionOutcome, MotionPlanner, MotionRequest

from .contract import Call
from .felt import felt_at

GENTLE = ContactGuard(threshold=2.0, expected=True)  # N·m; about 4 N at the fingers
GENTLE_SPEED = 0.1
LOWERED = 0.3  # share of the speed of a last line on which something unseen may be touched
RETRACED_M = 0.05
RESTING_NM = 0.3  # more is felt by an arm that leans on something
OFF_M = 0.01  # a tool farther from its goal than this misses what it is for
OFF_RAD = math.radians(6)
STILL_SHARE = 0.1  # a joint that made less of its way than this has not turned
PAUSE_S = 0.4  # robot time between two looks
MOST_LOOKS = 25  # about 10 s: what moves longer than that is reported as it is
STILL_M = 0.003  # two looks that differ by less show the same place


class Arm:
    """The arm and gripper during one call of a skill. Every motion starts where the arm is.

    `guard` watches every motion: by default any contact that the joints feel stops the arm.
    """

    def __init__(self, call: Call, request: MotionRequest) -> None:
        self._robot = call.kit.robot
        self._motion = call.kit.motion
        self._ctx = call.ctx
        self._model = call.kit.arm
        self.request = request
        self.guard: ContactGuard | None = ContactGuard()
        self._followed: JointTrajectory | None = None

    def joints(self) -> FloatArray:
        """The seven joint angles now (rad)."""
        return self._robot.state().joints

    def tcp(self) -> Pose:
        """Where the tool centre point, between the finger pads, is now (base frame)."""
        return self._motion.forward(self.joints())

    def follow(self, trajectory: JointTrajectory) -> SkillResult:
        """Execute a motion that was planned before. The encoders must show the arm at its end."""
        self._followed, before = trajectory, self._robot.state().external_torque
        answer = self._robot.execute(trajectory, self._ctx, self.guard)
        result = command_result(answer)
        if answer.felt:
            felt = self._felt(trajectory, before, np.array(answer.felt))
            return replace(result, evidence={**result.evidence, 'impact': answer.felt, **felt})
        if not result.success or result.evidence.get('contact'):
            return result
        return astray(trajectory, self.joints(), self._motion) or result

    def _felt(self, trajectory: JointTrajectory, before: FloatArray, impact: FloatArray
              ) -> dict[str, Any]:
        """Where the tool was when a contact ended the motion, and where that was, as far as the
        torques tell.

        What is felt at rest tells it best. If the arm bounced off, there is only the impact.
        """
        now, passed = self._robot.state(), trajectory.positions
        rest = now.external_torque - before
        torque = rest if np.abs(rest).max() > RESTING_NM else impact
        at = min(int(np.argmin(np.abs(passed - now.joints).max(axis=1))), len(passed) - 2)
        tool = self._model.kinematics.forward(now.joints)[:3, 3].tolist()
        return {'tool_at': tool, **felt_at(self._model, now.joints, now.gripper_width, torque,
                                           passed[at + 1] - passed[at])}

    def to_joints(self, goal: FloatArray) -> SkillResult:
        """Go to these joint angles (rad) on any free way."""
        return self._do(self._motion.to_joints(self.joints(), goal, self.request, self._ctx))

    def to_pose(self, target: Pose) -> SkillResult:
        """Bring the tool centre point there on any free way."""
        found = self._motion.solve_ik(target, self.joints())
        if found.joints is None:
            at = ', '.join(f'{value:.2f}' for value in target.position)
            return failed(Reason.UNREACHABLE, f'no joint angles for the hand at ({at}) m',
                          FailedStage.PLANNING, found.report)
        return self.to_joints(found.joints)

    def straight(self, target: Pose) -> SkillResult:
        """Bring the tool centre point there along a straight line."""
        return self._do(self._motion.straight(self.joints(), target, self.request, self._ctx))

    def leave(self, distance_m: float) -> SkillResult:
        """Back away from what the hand has let go, the thing at its place."""
        return self._do(way_out(self._motion, self.joints(), distance_m, self.request, self._ctx))

    def straight_until_contact(self, target: Pose, speed: float = GENTLE_SPEED) -> SkillResult:
        """Move slowly along a straight line to the first contact, or to `target` without one.

        Both are success. The evidence says `contact` if there was a contact.
        """
        request = replace(self.request, speed=speed)
        planned = self._motion.straight(self.joints(), target, request, self._ctx)
        if planned.trajectory is None:
            return planning_failed(planned)
        self._followed = planned.trajectory
        return command_result(self._robot.execute(planned.trajectory, self._ctx, GENTLE))

    def retrace(self, distance_m: float = RETRACED_M) -> SkillResult:
        """Go back along the last motion, by `distance_m` of the TCP or all of it.

        This is the way out of a contact: it was free a moment ago, even if perception missed
        something.
        """
        if self._followed is None:
            return succeeded('the arm has not moved yet')
        here, tcp, passed = self.joints(), self.tcp(), self._followed.positions
        reached = int(np.argmin(np.abs(passed - here).max(axis=1)))
        for back in reversed(passed[:reached + 1]):
            goal = back
            if self._motion.forward(back).distance_to(tcp) >= distance_m:
                break
        return self.to_joints(goal)

    def _do(self, planned: MotionOutcome) -> SkillResult:
        if planned.trajectory is None:
            return planning_failed(planned)
        return self.follow(planned.trajectory)

    def open_to(self, width: float) -> SkillResult:
        """Move the fingers until they are `width` apart (m)."""
        return self._measured(command_result(self._robot.move_gripper(width, self._ctx)))

    def close(self, force: float) -> SkillResult:
        """Close the fingers until they press with `force` (N)."""
        return self._measured(command_result(self._robot.grasp(force, self._ctx)))

    def _measured(self, result: SkillResult) -> SkillResult:
        """The result of a command to the gripper; after a failure with the width of the pads."""
        if result.success:
            return result
        return replace(result, evidence={**result.evidence, 'gripper_width': self.gripper_width()})

    def gripper_width(self) -> float:
        """How far the finger pads are apart now (m)."""
        return self._robot.state().gripper_width


def hold(call: Call, seconds: float) -> SkillResult:
    """Keep the arm where it is for this long (s, robot time)."""
    robot, still = call.kit.robot, np.zeros((2, len(call.kit.robot.limits.names)))
    here = np.tile(robot.limits.clamp(robot.state().joints), (2, 1))
    waiting = JointTrajectory(robot.limits.names, np.array([0.0, seconds]), here, still, still)
    return command_result(robot.execute(waiting, call.ctx))


def way_to(call: Call, start: FloatArray, end: FloatArray, request: MotionRequest,
           near: str) -> MotionOutcome:
    """The motion to the start of a last straight line. On the way nothing is touched.

    The contacts of `request` are for the line. They are allowed here only if the arm cannot
    stand at its start without touching `near`, the object at its end: then that one is large.
    """
    motion = call.kit.motion
    found = motion.to_joints(start, end, replace(request, allowed_contacts=()), call.ctx)
    if found.reason is Reason.IN_COLLISION and found.blockers == (near,):
        return motion.to_joints(start, end, request, call.ctx)
    return found


def way_out(motion: MotionPlanner, start: FloatArray, distance_m: float, request: MotionRequest,
            ctx: Context) -> MotionOutcome:
    """The motion of the hand away from where it lets go: along the fingers, up, or half as far.

    That there is none is told as that: it says nothing about the arm's reach.
    """
    tcp = motion.forward(start)
    ways = (backed_off(tcp, distance_m), tcp.moved(dz=distance_m), backed_off(tcp, distance_m / 2))
    outcomes = []
    for back in ways:
        found = motion.straight(start, back, request, ctx)
        if found.trajectory is not None:
            return found
        outcomes.append(found)
    return replace(outcomes[0], ik=None, cause=Cause.NO_WAY_OUT, reason=Reason.PATH_BLOCKED,
                   blockers=next((o.blockers for o in outcomes if o.blockers), ()))


def backed_off(tcp: Pose, distance_m: float) -> Pose:
    """The pose `distance_m` behind `tcp` along the fingers, to approach from or retreat to."""
    T = tcp.matrix()
    T[:3, 3] -= distance_m * T[:3, 2]
    return Pose.from_matrix(T)


def planning_failed(planned: MotionOutcome) -> SkillResult:
    """A motion plan that failed, as a skill's result."""
    return failed(planned.reason or Reason.UNREACHABLE, planned.detail or 'no motion was found',
                  FailedStage.PLANNING, planned.ik, planned.cause, planned.blockers)


def command_result(answer: CommandResult) -> SkillResult:
    """The robot's answer as a skill's result."""
    evidence: dict[str, Any] = {'contact': True} if answer.contact else {}
    if answer.success:
        return succeeded(answer.detail if answer.contact else '', **evidence)
    return failed(answer.reason or Reason.CONTROLLER_ABORTED,
                  answer.detail or 'the robot gave no detail', cause=answer.cause, **evidence)


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


def look_at_rest(call: Call) -> Scene | SkillResult:
    """The scene as soon as two looks agree about every movable object, or the last look.

    A perception that calls a model looks once, after a pause.
    """
    once = call.kit.perception.uses_model
    before = None if once else call.observe()
    if isinstance(before, SkillResult):
        return before
    for _ in range(MOST_LOOKS):
        waited = hold(call, PAUSE_S)
        if not waited.success:
            return waited
        now = call.observe()
        if isinstance(now, SkillResult) or before is None or not moving(before, now):
            return now
        before = now
    assert before is not None  # without one, the first look is returned
    return before


def moving(before: Scene, now: Scene) -> tuple[str, ...]:
    """The movable objects that are elsewhere in the second look."""
    pairs = [(o, now.get(o.name)) for o in before.movable()]
    return tuple(o.name for o, later in pairs
                 if later is not None and math.dist(o.position, later.position) > STILL_M)
