# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The gate before every robot: what is too fast or outside never reaches it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.app.build.bounded_robot import BoundedRobot
from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import PANDA
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import PartFailed
from replan_agent.domain.robot_state import CommandResult, RobotState
from replan_agent.motion.envelope import Envelope
from replan_agent.motion.timing import time_joint_move

HOME = np.array(franka.HOME)
SWING = time_joint_move(HOME, HOME + 0.4 * np.eye(7)[0], franka.limits('panda'), 1.0, 1.0)


class Commanded:
    """An arm that counts the trajectories it is given."""

    limits = franka.limits('panda')
    count = 0

    def execute(self, trajectory, ctx, guard=None) -> CommandResult:
        self.count += 1
        return CommandResult(True)


def test_a_motion_at_full_speed_passes_and_a_faster_one_does_not():
    arm = Commanded()
    gate = BoundedRobot(arm, Envelope(PANDA, WorkspaceConfig()))
    assert gate.execute(SWING, Context()).success
    hurried = replace(SWING, times=SWING.times / 2, velocities=SWING.velocities * 2)
    refused = gate.execute(hurried, Context())
    assert refused.cause is Cause.TRAJECTORY_REFUSED
    assert 'velocity of panda_joint1' in refused.detail and arm.count == 1


STATE = RobotState(0.0, HOME, np.zeros(7), 0.04)


class Reports(Commanded):
    """An arm that says the same to everything."""

    def __init__(self, said: object) -> None:
        self.said = said

    def state(self):
        return self.said

    def execute(self, trajectory, ctx, guard=None):
        return self.said

    def move_gripper(self, width, ctx):
        return self.said

    grasp = move_gripper


def gate(said: object) -> BoundedRobot:
    return BoundedRobot(Reports(said), Envelope(PANDA, WorkspaceConfig()))


@pytest.mark.parametrize(('state', 'named'), [
    (None, 'state must return a RobotState'), (replace(STATE, joints=HOME[:6]), 'joints'),
    (replace(STATE, joints=HOME * np.nan), 'joints'),
    (replace(STATE, gripper_width=np.nan), 'gripper_width'),
    (replace(STATE, stamp=np.nan), 'stamp'),
    (replace(STATE, external_torque=HOME * np.nan), 'external_torque')],
    ids=['none', 'six joints', 'joints', 'gripper', 'stamp', 'torque'])
def test_a_state_that_nobody_should_move_by_raises_and_names_the_robot(state, named):
    assert gate(STATE).state() is STATE
    with pytest.raises(PartFailed, match=f'robot: .*{named}'):
        gate(state).state()


@pytest.mark.parametrize('said', [None, True])
def test_an_answer_to_a_command_that_is_no_result_names_the_robot(said):
    robot = gate(said)
    for name, command in {'execute': lambda: robot.execute(SWING, Context()),
                          'move_gripper': lambda: robot.move_gripper(0.04, Context()),
                          'grasp': lambda: robot.grasp(20.0, Context())}.items():
        with pytest.raises(PartFailed, match=f'robot: {name} must return a CommandResult'):
            command()
