# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A whole task on paths that someone else finds, in real physics."""

from __future__ import annotations

import numpy as np
from replan_agent_moveit.borrowed_paths import BorrowedPathPlanner, FoundPath

from replan_agent import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.motion.cartesian import LineFollower
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.motion.planner import planner_parts
from replan_agent.motion.rrt import PathSearch
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

POINTS = 30  # on each edge, as OMPL fills its paths


class Searching:
    """Finds paths with a checker of its own."""

    def __init__(self, model: str) -> None:
        self.arm, self.checker = FrankaKinematics(model), MujocoCollisionChecker(arm_named(model))
        self.found: list[str] = []

    def around(self, start: FloatArray, goal: FloatArray, request: MotionRequest, spare_m: float,
               limit_s: float, ctx: Context) -> FoundPath:
        self.checker.use(request)
        search = PathSearch(self.arm.limits, lambda q: self.checker.first_contact(q) is None)
        path = search.find(start, goal, ctx)
        assert path is not None
        self.found.append('around')
        return FoundPath(np.concatenate([np.linspace(a, b, POINTS)
                                         for a, b in zip(path, path[1:])]))

    def line(self, start: FloatArray, target: Pose, request: MotionRequest, limit_s: float,
             ctx: Context) -> FoundPath:
        self.found.append('line')
        return FoundPath(LineFollower(self.arm).follow(start, target, ctx).waypoints)


def test_a_task_is_carried_out_on_borrowed_paths() -> None:
    config: Config = load_config()
    source = Searching(config.robot.model)
    motion = BorrowedPathPlanner(source, 3, **planner_parts(
        config, arm_named(config.robot.model),
        MujocoCollisionChecker(arm_named(config.robot.model))))
    result = Simulation('tabletop', config=config, motion=motion).run(
        'put the red cube in the bowl')
    assert result.success, result.final_detail
    assert {'around', 'line'} <= set(source.found)
