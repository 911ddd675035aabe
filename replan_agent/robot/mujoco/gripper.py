# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parallel gripper: a width servo with limited force."""

from __future__ import annotations

from replan_agent.domain.robot_state import CommandResult
from replan_agent.robot.fingers import Fingers, drive, grasped, moved, refused_force, refused_width
from replan_agent.robot.stepped_robot import Interruption

from .world import World

CONTROL_STEPS = 5
MOVE_FORCE_N = 20.0  # moving without grasping needs little force, and little is safer
WIDTH_TOLERANCE_M = 0.001
STALL_S = 0.06  # fingers that stand still for this long have stopped


class WorldGripper:
    """Moves the fingers of a World's arm by stepping the world. Knows their width and force."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._hand, self._grasp_target_m = world.arm.hand, world.arm.dynamics.grasp_target_m
        self._actuator = world.model.actuator(world.arm.frame('gripper')).id

    @property
    def width(self) -> float:
        """Distance (m) between the pads, from the encoders."""
        return self._world.gripper_width

    @property
    def force(self) -> float:
        """The closing force (N) of the motor; 0 if it opens or rests."""
        return max(0.0, -float(self._world.data.actuator_force[self._actuator]))

    def move(self, width: float, interruption: Interruption) -> CommandResult | Exception:
        """Go to `width` (m). Returns the interruption instead of a result if there was one."""
        refused = refused_width(width, self._hand.max_width_m)
        if refused:
            return refused
        self._limit_force(min(MOVE_FORCE_N, self._hand.max_force_n))
        stopped = self._drive(width, interruption)
        if isinstance(stopped, Exception):
            return stopped
        result = moved(self.width, width, WIDTH_TOLERANCE_M)
        if not result.success:
            self._command(self.width)
        return result

    def grasp(self, force: float, interruption: Interruption) -> CommandResult | Exception:
        """Close until the fingers stop, then keep pressing. Returns the interruption, if any."""
        refused = refused_force(force)
        if refused:
            return refused
        self._limit_force(min(force, self._hand.max_force_n))
        fingers = self._drive(self._grasp_target_m, interruption)
        if isinstance(fingers, Exception):
            return fingers
        self._command(self._grasp_target_m)  # if the object is lost, the fingers close all the way
        return grasped(fingers, self.width, self.force)

    def _drive(self, target: float, interruption: Interruption) -> Fingers | Exception:
        """Ramp the command to `target` until the fingers are there or stall.

        Returns how they are then, or the interruption.
        """
        period = CONTROL_STEPS * self._world.timestep
        stride = self._hand.max_speed_m_s * period
        # Start near the current width: the fingers would lag a command inside the object.
        command = min(max(self._world.data.ctrl[self._actuator], self.width - stride),
                      self.width + stride)

        def advance() -> bool:
            nonlocal command
            command += min(max(target - command, -stride), stride)
            self._command(command)
            self._world.step(CONTROL_STEPS)
            return bool(command == target) or self._stalled()

        return drive(advance, lambda: self.width, period, STALL_S, interruption)

    def _stalled(self) -> bool:
        """Whether the motor already pushes with its full force."""
        limit = self._world.model.actuator_forcerange[self._actuator, 1]
        return bool(abs(self._world.data.actuator_force[self._actuator]) >= 0.999 * limit)

    def _command(self, width: float) -> None:
        self._world.data.ctrl[self._actuator] = width

    def _limit_force(self, force: float) -> None:
        self._world.model.actuator_forcerange[self._actuator] = (-force, force)
