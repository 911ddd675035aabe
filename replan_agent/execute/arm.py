"""Plan-then-move: the motions skills are made of, as results."""

from __future__ import annotations

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.robot import CommandResult
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed, succeeded
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.protocols import MotionOutcome, MotionRequest

from .contract import Call


class Arm:
    """The arm and gripper within one call of a skill; every motion starts where the arm is."""

    def __init__(self, call: Call, request: MotionRequest) -> None:
        self._robot = call.kit.robot
        self._motion = call.kit.motion
        self._ctx = call.ctx
        self.request = request

    def joints(self) -> FloatArray:
        return self._robot.state().joints

    def tcp(self) -> Pose:
        return self._motion.forward(self.joints())

    def follow(self, trajectory: JointTrajectory) -> SkillResult:
        """A motion that was planned before."""
        return command_result(self._robot.execute(trajectory, self._ctx))

    def to_joints(self, goal: FloatArray) -> SkillResult:
        return self._do(self._motion.to_joints(self.joints(), goal, self.request, self._ctx))

    def straight(self, target: Pose) -> SkillResult:
        return self._do(self._motion.straight(self.joints(), target, self.request, self._ctx))

    def _do(self, planned: MotionOutcome) -> SkillResult:
        if planned.trajectory is None:
            return planning_failed(planned)
        return self.follow(planned.trajectory)

    def open_to(self, width: float) -> SkillResult:
        return command_result(self._robot.move_gripper(width, self._ctx))

    def close(self, force: float) -> SkillResult:
        return command_result(self._robot.grasp(force, self._ctx))

    def gripper_width(self) -> float:
        return self._robot.state().gripper_width


def backed_off(tcp: Pose, distance_m: float) -> Pose:
    """The pose from which a straight line along the fingers leads to `tcp`, and away from it."""
    T = tcp.matrix()
    T[:3, 3] -= distance_m * T[:3, 2]
    return Pose.from_matrix(T)


def planning_failed(planned: MotionOutcome) -> SkillResult:
    """A motion that was not found, as a skill's result."""
    return failed(planned.reason or Reason.UNREACHABLE, planned.detail or 'no motion was found',
                  FailedStage.PLANNING, planned.ik)


def command_result(answer: CommandResult) -> SkillResult:
    """A robot's answer as a skill's."""
    if answer.success:
        return succeeded()
    return failed(answer.reason or Reason.CONTROLLER_ABORTED,
                  answer.detail or 'the robot gave no detail')
