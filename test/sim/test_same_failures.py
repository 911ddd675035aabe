# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The table of failures (test/shared) on the simulated robot and our own planner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import failure_table as table
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.scene import Shape
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.motion.planner import joint_planner
from replan_agent.motion.timing import time_joint_move
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec
from replan_agent.robot.mujoco.world import World

GREY = Colour.named('grey')
WALL = ObjectSpec('wall', Shape.WALL, (0.3, 0.04, 0.8), GREY, (0.25, 0.22, 0.4), fixed=True)
# Between the open fingers of an arm at home. The arm does not know of it.
POST = ObjectSpec('post', Shape.BOX, (0.03, 0.03, 0.51), GREY, (0.307, 0.0, None), fixed=True)


class Arm:
    """The simulated arm, and each failure provoked on it."""

    def robot(self, *objects: ObjectSpec) -> MujocoRobot:
        return MujocoRobot(World(SceneSpec('bench', objects=objects), PANDA))

    def swing(self, robot: MujocoRobot, ctx: Context | None = None,
              guard: ContactGuard | None = None, start: float = 0.0) -> CommandResult:
        begin, goal = robot.state().joints, robot.home
        begin[0], goal[0] = begin[0] + start, 1.2
        motion = time_joint_move(begin, goal, robot.limits, 0.5, 0.5)
        return robot.execute(motion, ctx or Context(), guard)

    def stopped(self) -> CommandResult:
        robot = self.robot()
        robot.world.on_step(robot.stop, every_s=0.3)
        return self.swing(robot)

    def late(self) -> CommandResult:
        robot = self.robot()
        return self.swing(robot, Context(deadline=0.3, now=lambda: robot.world.time))

    def provoke(self, name: str) -> Callable[[], CommandResult]:
        return {
            'held up': lambda: self.swing(self.robot(WALL)),
            'refused': lambda: self.swing(self.robot(), start=0.3),
            'gripper blocked': lambda: self.robot(POST).move_gripper(0.0, Context()),
            'contact': lambda: self.swing(self.robot(WALL), guard=ContactGuard()),
            'stopped': self.stopped,
            'error': lambda: self.robot().grasp(-1.0, Context()),
            'too long': self.late,
        }[name]


@pytest.mark.parametrize(('failure', 'source'), table.failures_of(table.SIM_ROBOT),
                         ids=table.name_of)
def test_the_simulated_robots_failure_is_found(failure: table.Failure, source: str) -> None:
    result = table.result_of(Arm().provoke(failure.name))
    table.check(failure, result, table.planning_scene())


@pytest.mark.parametrize(('failure', 'source'), table.failures_of(table.OUR_PLANNER),
                         ids=table.name_of)
def test_our_planners_failure_is_found(failure: table.Failure, source: str) -> None:
    planner = joint_planner(Config(), PANDA, MujocoCollisionChecker(PANDA))
    result = table.result_of(lambda: table.plan(failure, planner))
    table.check(failure, result, table.scene_for(failure))


@pytest.mark.parametrize('name', table.BYSTANDERS)
def test_a_thing_with_the_name_of_a_part_of_the_arm_blocks_only_where_it_is(name: str) -> None:
    checker = MujocoCollisionChecker(PANDA)
    scene = table.planning_scene()
    checker.use(MotionRequest(scene))
    assert checker.first_contact(table.HOME) is None
    planner = joint_planner(Config(), PANDA)
    here = planner.forward(table.HOME)
    objects = tuple(replace(o, pose=here) if o.name == name else o for o in scene.objects)
    checker.use(MotionRequest(replace(scene, objects=objects)))
    contact = checker.first_contact(table.HOME)
    assert contact is not None and contact.blockers == (name,)


def test_the_arm_itself_and_what_it_holds_are_no_blockers() -> None:
    checker = MujocoCollisionChecker(PANDA)
    held = replace(table.planning_scene(table.END), held='vase')
    checker.use(MotionRequest(held))
    folded = table.HOME.copy()
    folded[1], folded[3], folded[5] = 1.7, -3.0, 3.7
    contact = checker.first_contact(folded)
    assert contact is not None and contact.blockers == ()
