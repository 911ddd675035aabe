"""Motion without obstacle avoidance: IK, joint moves and straight lines, checked for contacts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replan_agent.domain.config import Config, IKConfig, MotionConfig
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory

from .cartesian import LINE_TOLERANCE, LineFollower, StraightLine
from .franka import FrankaKinematics
from .ik import FrankaIK, IKSolver
from .protocols import CollisionChecker, IKOutcome, Kinematics, MotionOutcome, MotionRequest
from .timing import SAMPLE_PERIOD_S, time_joint_move, time_path

START_TOLERANCE = 0.02  # rad; a real arm may stand this little outside its limits


class JointPlanner:
    """The MotionPlanner of an arm with these kinematics and this IK.

    Motions go straight in joint space or straight in space. With a collision checker, each sample
    of the final trajectory is checked and the first unwanted contact fails it; going around an
    obstacle is not tried.
    """

    def __init__(self, kinematics: Kinematics, ik: IKSolver, motion: MotionConfig | None = None,
                 ik_config: IKConfig | None = None, collision: CollisionChecker | None = None,
                 period_s: float = SAMPLE_PERIOD_S) -> None:
        self.kinematics = kinematics
        self.ik = ik
        self.motion = motion or MotionConfig()
        self.collision = collision
        self.period_s = period_s
        self._lines = LineFollower(kinematics, (ik_config or IKConfig()).max_iterations)

    def forward(self, joints: FloatArray) -> Pose:
        """T_base_tcp."""
        return Pose.from_matrix(self.kinematics.forward(joints))

    def solve_ik(self, target: Pose, near: FloatArray) -> IKOutcome:
        """The solution nearest to `near` that keeps clear of the joint limits."""
        return self.ik.solve(target, near)

    def reachable(self, targets: Sequence[Pose], near: FloatArray) -> list[FloatArray | None]:
        """For each target the joints nearest to `near`, or None; without a report."""
        return self.ik.solve_many(targets, near)

    def to_joints(self, start: FloatArray, goal: FloatArray, request: MotionRequest,
                  ctx: Context) -> MotionOutcome:
        """A straight line in joint space."""
        ctx.check()
        wrong = self._wrong(start, 'start', START_TOLERANCE) or self._wrong(goal, 'goal', 1e-6)
        if wrong:
            return MotionOutcome(None, Reason.BAD_ARGUMENTS, wrong)
        trajectory = time_joint_move(start, goal, self.kinematics.limits, *self._scaling(),
                                     self.period_s)
        return self._checked(trajectory, request, ctx)

    def to_pose(self, start: FloatArray, target: Pose, request: MotionRequest,
                ctx: Context) -> MotionOutcome:
        """IK near `start`, then a straight line in joint space."""
        ctx.check()
        solved = self.ik.solve(target, start)
        if solved.joints is None:
            detail = solved.report.sentence if solved.report else 'IK found no solution'
            return MotionOutcome(None, Reason.UNREACHABLE, detail, solved.report)
        return self.to_joints(start, solved.joints, request, ctx)

    def straight(self, start: FloatArray, target: Pose, request: MotionRequest,
                 ctx: Context) -> MotionOutcome:
        """A straight line of the TCP to `target`: all of it, or a failure that says how far."""
        ctx.check()
        wrong = self._wrong(start, 'start', START_TOLERANCE)
        if wrong:
            return MotionOutcome(None, Reason.BAD_ARGUMENTS, wrong)
        line = self._line(start, target, ctx)
        if line.failed_target is not None and line.attempt is not None:
            report = self.ik.report(line.failed_target, line.attempt, LINE_TOLERANCE)
            detail = f'straight line breaks off at {line.reached:.0%}: {report.sentence}'
            return MotionOutcome(None, Reason.UNREACHABLE, detail, report)
        trajectory = time_path(line.waypoints, self.kinematics.limits, *self._scaling(),
                               self.period_s)
        return self._checked(trajectory, request, ctx)

    def _line(self, start: FloatArray, target: Pose, ctx: Context) -> StraightLine:
        """The line that goes on as it began, or else the one that steers to an IK solution."""
        line = self._lines.follow(start, target, ctx)
        if line.reached == 1.0:
            return line
        goal = self.ik.solve_many([target], start)[0]
        if goal is None:
            return line
        steered = self._lines.follow(start, target, ctx, toward=goal)
        return steered if steered.reached > line.reached else line

    def _scaling(self) -> tuple[float, float]:
        return (self.motion.max_velocity_scaling_factor,
                self.motion.max_acceleration_scaling_factor)

    def _wrong(self, joints: FloatArray, what: str, tolerance: float) -> str:
        """What is wrong with these joints, in a sentence; empty when they are fine."""
        limits, joints = self.kinematics.limits, np.asarray(joints, dtype=float)
        if joints.shape != limits.lower.shape or not np.all(np.isfinite(joints)):
            return f'the {what} needs {len(limits.names)} finite joint angles, not {joints}'
        outside = np.maximum(limits.lower - joints, joints - limits.upper)
        worst = int(np.argmax(outside))
        if outside[worst] <= tolerance:
            return ''
        return (f'the {what} has {limits.names[worst]}={joints[worst]:.4f} rad, outside its '
                f'limits {limits.lower[worst]:.4f} to {limits.upper[worst]:.4f}')

    def _checked(self, trajectory: JointTrajectory, request: MotionRequest,
                 ctx: Context) -> MotionOutcome:
        """The trajectory, if nothing touches along it that is not meant to."""
        if self.collision is None:
            return MotionOutcome(trajectory)
        self.collision.use(request)
        last = len(trajectory.times) - 1
        # The ends first: a goal in contact is that, not a path that is blocked just before it.
        for k in (0, last, *range(1, last)):
            ctx.check()
            contact = self.collision.first_contact(trajectory.positions[k])
            if contact is None:
                continue
            if k in (0, last):
                where = 'start' if k == 0 else 'goal'
                return MotionOutcome(None, Reason.IN_COLLISION, f'at the {where} {contact}')
            return MotionOutcome(None, Reason.PATH_BLOCKED,
                                 f'after {k / last:.0%} of the motion {contact}')
        return MotionOutcome(trajectory)


def franka_planner(config: Config, collision: CollisionChecker | None = None) -> JointPlanner:
    """A JointPlanner for the Franka that the configuration names."""
    kinematics = FrankaKinematics(config.robot.model)
    ik = FrankaIK(kinematics, config.ik, config.robot.base_frame)
    return JointPlanner(kinematics, ik, config.motion, config.ik, collision)
