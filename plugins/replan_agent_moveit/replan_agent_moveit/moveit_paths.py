# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MoveIt as a source of paths: OMPL around obstacles, Pilz' LIN in straight lines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from replan_agent.app.build.build_planner import MotionParts
from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.skill import Reason
from replan_agent.motion.motion_protocols import CollisionChecker, MotionRequest
from replan_agent.motion.planner import planner_parts

from .borrowed_paths import BorrowedPathPlanner, FoundPath
from .moveit_arm import arm_names
from .moveit_config import OMPL, PILZ, Parameters, configuration, require_moveit
from .moveit_errors import INVALID_MOTION_PLAN, PLANNING_FAILED, TIMED_OUT, meaning, sentence
from .moveit_process import MoveItFailed, MoveItProcess, StartWorker
from .moveit_question import MoveItAnswer, Question
from .moveit_settings import MoveItSettings

if TYPE_CHECKING:
    from replan_agent.ros.node_settings import SkillSettings

AGAIN = (PLANNING_FAILED, INVALID_MOTION_PLAN, TIMED_OUT)  # another random search may do better
LINE_SPEEDS = (1.0, 0.2)  # near a singular posture the joints must be fast even for a slow line


class Answerer(Protocol):
    """Answers questions: MoveIt's process."""

    def plan(self, question: Question, ctx: Context) -> MoveItAnswer: ...

    def close(self) -> None: ...


class MoveItPaths:
    """The PathSource over MoveIt. Whatever goes wrong there is a failure with its sentence."""

    def __init__(self, answerer: Answerer, arm: ArmModel, planner_id: str = '') -> None:
        self._answerer, self._planner_id = answerer, planner_id
        self._limits = arm.limits

    def around(self, start: FloatArray, goal: FloatArray, request: MotionRequest, spare_m: float,
               limit_s: float, ctx: Context) -> FoundPath:
        """A path of OMPL."""
        return self._found(Question(self._limits.clamp(start), request, OMPL, self._planner_id,
                                    limit_s, goal=goal, spare_m=spare_m), ctx)

    def line(self, start: FloatArray, target: Pose, request: MotionRequest, limit_s: float,
             ctx: Context) -> FoundPath:
        """A line of Pilz' LIN, which refuses what is too fast for a joint instead of slowing."""
        for speed in LINE_SPEEDS:
            found = self._found(Question(self._limits.clamp(start), request, PILZ, 'LIN', limit_s,
                                         target=target, speed=speed), ctx)
            if found.waypoints is not None or not found.again:
                break
        return found

    def close(self) -> None:
        """End MoveIt's process."""
        self._answerer.close()

    def _found(self, question: Question, ctx: Context) -> FoundPath:
        try:
            answer = self._answerer.plan(question, ctx)
        except (MoveItFailed, ConfigError, NodeLost) as error:
            return FoundPath(None, Reason.CONTROLLER_ABORTED, str(error), Cause.CONTROLLER_ERROR)
        known = meaning(answer.code)
        if known.reason is None:
            return FoundPath(answer.waypoints)
        named = ' and '.join(answer.touched)
        where = f'; at the goal the arm touches {named}' if named else ''
        return FoundPath(None, known.reason,
                         f'{question.pipeline}: {sentence(answer.code)}{where}', known.cause,
                         answer.touched, answer.code in AGAIN)


def moveit_planner(config: Config, settings: MoveItSettings, read: Parameters,
                   collision: CollisionChecker, seed: int = 0) -> BorrowedPathPlanner:
    """A motion planner whose paths are MoveIt's. `read` gives MoveIt's parameters."""
    def prepare(ctx: Context) -> StartWorker:
        from .moveit_worker import start_worker  # needs ROS messages

        parameters = read(ctx)
        return partial(start_worker, parameters,
                       arm_names(parameters, arm, settings, config.robot.model))

    arm = arm_named(config.robot.model)
    paths = MoveItPaths(MoveItProcess(prepare), arm, settings.planner_id)
    return BorrowedPathPlanner(paths, settings.attempts, **planner_parts(config, arm, collision),
                               seed=seed)


def from_parts(parts: MotionParts) -> BorrowedPathPlanner:
    """The entry point `moveit` of motion planners. It plans over ROS only."""
    if parts.node is None or parts.settings is None:
        raise ConfigError('motion_planner: moveit plans over ROS only')
    require_moveit()
    from replan_agent.ros.rclpy_tools.parameters import declared

    given: SkillSettings = parts.settings
    settings = declared(parts.node, MoveItSettings, 'moveit.')
    read = configuration(settings, parts.node, given.timeouts.appear_timeout,
                         arm_named(parts.config.robot.model))
    return moveit_planner(parts.config, settings, read, parts.collision, parts.seed)
