# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that does not leave its workspace, and whose answers make sense."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import MOST_CHARACTERS, PartFailed
from replan_agent.domain.robot_state import CommandResult, ContactGuard, RobotState
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.wrapped_robot import WrappedRobot
from replan_agent.motion.envelope import Envelope
from replan_agent.text.shown_text import one_line


@dataclass(frozen=True)
class BoundedRobot(WrappedRobot):
    """Refuses trajectories that leave the workspace box, enter a keep-out zone or are too fast.

    A state that is no state, and an answer that is none, raise PartFailed: it names the robot.
    """

    envelope: Envelope

    def state(self) -> RobotState:
        return _checked_state(self.robot.state(), len(self.limits.names))

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        """Follow the trajectory if it stays inside; a refused one does not start."""
        violation = self.envelope.violation(trajectory)
        if violation:
            return CommandResult(False, Reason.WORKSPACE_VIOLATION, violation,
                                 cause=Cause.WORKSPACE_VIOLATION)
        beyond = self.limits.violation(trajectory)
        if beyond:
            return CommandResult(False, Reason.CONTROLLER_ABORTED, f'trajectory refused: {beyond}',
                                 cause=Cause.TRAJECTORY_REFUSED)
        return _checked_answer(self.robot.execute(trajectory, ctx, guard), 'execute')

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        return _checked_answer(self.robot.move_gripper(width, ctx), 'move_gripper')

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        return _checked_answer(self.robot.grasp(force, ctx), 'grasp')


def _checked_state(returned: object, joints: int) -> RobotState:
    """The state that a robot returned. Raises PartFailed if nobody should move by it.

    Speeds are no part of this: not every driver has them.
    """
    if not isinstance(returned, RobotState):
        raise PartFailed.by_return('robot: state', 'a RobotState', returned)
    for name, shape in (('stamp', ()), ('gripper_width', ()), ('joints', (joints,)),
                        ('external_torque', (joints,))):
        values = np.asarray(getattr(returned, name), dtype=float)
        if values.shape != shape or not np.isfinite(values).all():
            wanted = f'{joints} finite numbers' if shape else 'a finite number'
            raise PartFailed(f'robot: {name} of its state must be {wanted}, not '
                             f'{one_line(getattr(returned, name), MOST_CHARACTERS)}')
    return returned


def _checked_answer(returned: object, command: str) -> CommandResult:
    """What a robot answered to a command. Raises PartFailed if it is something else."""
    if not isinstance(returned, CommandResult):
        raise PartFailed.by_return(f'robot: {command}', 'a CommandResult', returned)
    return returned
