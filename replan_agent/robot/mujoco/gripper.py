"""The parallel gripper: a width servo with limited force, like the Franka hand."""

from __future__ import annotations

import math
from collections import deque

from replan_agent.domain import franka
from replan_agent.domain.cause import Cause
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import Reason
from replan_agent.robot.mujoco.mjcf.franka_dynamics import GRASP_TARGET_M
from replan_agent.robot.stepped_robot import Interruption

from .world import World

CONTROL_STEPS = 5
MOVE_FORCE_N = 20.0  # moving without grasping needs little force, and little is safer
WIDTH_TOLERANCE_M = 0.001
STALL_M = 0.00012  # the encoders may change by this much while the fingers stand still,
STALL_S = 0.06  # for this long
LONGEST_S = 3.0


class Gripper:
    """Moves the fingers of a World's arm by stepping the world. Knows their width and force."""

    def __init__(self, world: World) -> None:
        self._world = world
        name = f'{world.arm_model}_gripper'
        self._actuator = world.model.actuator(name).id
        joints = [world.model.joint(f'{world.arm_model}_finger_joint{i}') for i in (1, 2)]
        self._qpos = [int(joint.qposadr[0]) for joint in joints]

    @property
    def width(self) -> float:
        """Distance (m) between the pads, from the encoders."""
        return max(0.0, float(sum(self._world.data.qpos[i] for i in self._qpos)))

    @property
    def force(self) -> float:
        """The closing force (N) of the motor; 0 if it opens or rests."""
        return max(0.0, -float(self._world.data.actuator_force[self._actuator]))

    def move(self, width: float, interruption: Interruption) -> CommandResult | Exception:
        """Go to `width` (m). Returns the interruption instead of a result if there was one."""
        if not 0 <= width <= franka.MAX_GRIPPER_WIDTH_M:
            return _aborted(f'gripper width {width:.4g} m is outside 0 to '
                            f'{franka.MAX_GRIPPER_WIDTH_M:g} m')
        self._limit_force(MOVE_FORCE_N)
        stopped = self._drive(width, interruption)
        if isinstance(stopped, Exception):
            return stopped
        error = self.width - width
        if abs(error) <= WIDTH_TOLERANCE_M:
            return CommandResult(True)
        self._command(self.width)
        return _aborted(f'the gripper is blocked at {1e3 * self.width:.1f} mm, '
                        f'{1e3 * abs(error):.1f} mm short of {1e3 * width:.1f} mm',
                        Cause.GRIPPER_BLOCKED)

    def grasp(self, force: float, interruption: Interruption) -> CommandResult | Exception:
        """Close until the fingers stop, then keep pressing. Returns the interruption, if any."""
        if not (math.isfinite(force) and force > 0):
            return _aborted(f'grasp force {force:g} N must be a positive number')
        self._limit_force(min(force, franka.MAX_GRIPPER_FORCE_N))
        stopped = self._drive(GRASP_TARGET_M, interruption)
        if isinstance(stopped, Exception):
            return stopped
        self._command(GRASP_TARGET_M)  # if the object is lost, the fingers close all the way
        if not stopped:
            return _aborted(f'the fingers still move after {LONGEST_S:g} s '
                            f'(width {1e3 * self.width:.1f} mm)')
        return CommandResult(True, detail=f'closed to {1e3 * self.width:.1f} mm, pressing with '
                                          f'{self.force:.0f} N')

    def _drive(self, target: float, interruption: Interruption) -> bool | Exception:
        """Ramp the command to `target` until the fingers are there or stall.

        Returns whether they stopped, or the interruption. As in a real hand, the encoders tell:
        fingers that tremble in place stand still.
        """
        period = CONTROL_STEPS * self._world.timestep
        command = self._world.data.ctrl[self._actuator]
        stride = franka.MAX_GRIPPER_SPEED_M_S * period
        # Start near the current width: the fingers would lag a command inside the object.
        command = min(max(command, self.width - stride), self.width + stride)
        widths = deque([self.width], maxlen=round(STALL_S / period) + 1)
        for _ in range(round(LONGEST_S / period)):
            interrupted = interruption()
            if interrupted:
                return interrupted
            command += min(max(target - command, -stride), stride)
            self._command(command)
            self._world.step(CONTROL_STEPS)
            widths.append(self.width)
            still = len(widths) == widths.maxlen and max(widths) - min(widths) < STALL_M
            if still and (command == target or self._stalled()):
                return True
        return False

    def _stalled(self) -> bool:
        """Whether the motor already pushes with its full force."""
        limit = self._world.model.actuator_forcerange[self._actuator, 1]
        return bool(abs(self._world.data.actuator_force[self._actuator]) >= 0.999 * limit)

    def _command(self, width: float) -> None:
        self._world.data.ctrl[self._actuator] = width

    def _limit_force(self, force: float) -> None:
        self._world.model.actuator_forcerange[self._actuator] = (-force, force)


def _aborted(detail: str, cause: Cause = Cause.CONTROLLER_ERROR) -> CommandResult:
    return CommandResult(False, Reason.CONTROLLER_ABORTED, detail, cause=cause)
