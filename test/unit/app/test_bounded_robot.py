"""The gate before every robot: what is too fast or outside never reaches it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replan_agent.app.build.bounded_robot import BoundedRobot
from replan_agent.domain import franka
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import CommandResult
from replan_agent.motion.envelope import Envelope
from replan_agent.motion.franka_kinematics import FrankaKinematics
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
    gate = BoundedRobot(arm, Envelope(FrankaKinematics('panda'), WorkspaceConfig()))
    assert gate.execute(SWING, Context()).success
    hurried = replace(SWING, times=SWING.times / 2, velocities=SWING.velocities * 2)
    refused = gate.execute(hurried, Context())
    assert refused.cause is Cause.TRAJECTORY_REFUSED
    assert 'velocity of panda_joint1' in refused.detail and arm.count == 1
