"""The simulated Franka behind the Robot protocol. It senses only encoders and motors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from replan_agent.domain import franka
from replan_agent.domain.cause import Cause
from replan_agent.domain.contact import ContactWatch
from replan_agent.domain.context import Cancelled, Context, DeadlineExceeded
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CommandResult, ContactGuard, RobotState
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointLimits, JointTrajectory
from replan_agent.robot.mujoco.mjcf import franka_dynamics as dynamics

from .gripper import Gripper
from .sampling import Samples, brake, sample
from .torque import CONTROL_STEPS, TorqueSense
from .world import World

CHECK_STEPS = 10  # physics steps between checks of the context and the tracking error
START_TOLERANCE = 0.05  # rad between the arm and a trajectory's start
TRACKING_TOLERANCE = 0.1  # rad between the arm and its command; free motion stays far below
GOAL_TOLERANCE = 0.01  # rad
STANDSTILL = 0.005  # rad/s
SETTLE_S = 0.5


class Stopped(Exception):
    """stop() was called while a command ran."""


class MujocoRobot:
    """The arm of a World. Commands step the world until they are done.

    Only one command runs at a time. Another thread may call `stop`.
    """

    def __init__(self, world: World, base_frame: str = '') -> None:
        self.world = world
        self._base_frame = base_frame or f'{world.arm_model}_link0'
        self._limits = world.joint_limits
        self._gripper = Gripper(world)
        self._stiffness = np.array(dynamics.STIFFNESS)
        # The servo's damping and the joint's own, which slow a moving arm.
        self._damping = np.array(dynamics.SERVO_DAMPING) + dynamics.JOINT_DAMPING
        self._sense = TorqueSense(world)
        self._period = self._sense.period
        self._step = world.timestep
        self._one_command = threading.Lock()
        self._commander: int | None = None
        self._stop_asked = threading.Event()

    @property
    def limits(self) -> JointLimits:
        return self._limits

    @property
    def home(self) -> FloatArray:
        return np.array(franka.HOME)

    @property
    def base_frame(self) -> str:
        return self._base_frame

    @property
    def max_gripper_width(self) -> float:
        return franka.MAX_GRIPPER_WIDTH_M

    def state(self) -> RobotState:
        """The current readings of the encoders, the torque sensors and the gripper's motor."""
        data = self.world.data
        return RobotState(stamp=self.world.time, joints=data.qpos[:franka.JOINTS].copy(),
                          velocities=data.qvel[:franka.JOINTS].copy(),
                          gripper_width=self._gripper.width, gripper_force=self._gripper.force,
                          external_torque=self._sense.now().copy())

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        """Follow a trajectory that starts where the arm is now. Returns at standstill.

        With a guard, it also ends at a contact: the arm then stays where it touched.
        """
        with self._command():
            refusal = self._refusal(trajectory)
            if refusal:
                return _aborted(f'trajectory refused: {refusal}', Cause.TRAJECTORY_REFUSED)
            # A command acts for a whole step, so it should meet the middle of that step.
            times = np.arange(0.5, np.ceil(trajectory.duration / self._step)) * self._step
            q, qd, qdd = sample(trajectory, times)
            watch = ContactWatch(guard, self._sense.now(), self._limits.names) if guard else None
            for first in range(0, len(times), CHECK_STEPS):
                interruption = self._interruption(ctx)
                if interruption:
                    self._follow(brake(trajectory, first * self._step, self._limits, self._step))
                    self._await_standstill()
                    return self._interrupted(interruption)
                now = slice(first, first + CHECK_STEPS)
                contact = self._follow((q[now], qd[now], qdd[now]), watch)
                if contact and guard:
                    self._hold_here()
                    return guard.ended_by(contact)
                lost = self._tracking_error(q[now][-1])
                if lost:
                    self._hold_here()
                    return _aborted(lost, Cause.HELD_UP)
            return self._arrive(trajectory.end, watch)

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        """Open or close to `width` (m between the pads)."""
        with self._command():
            return self._finished(self._gripper.move(width, lambda: self._interruption(ctx)))

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        """Close until the fingers stop, then keep pressing with `force` (N, at most 70)."""
        with self._command():
            return self._finished(self._gripper.grasp(force, lambda: self._interruption(ctx)))

    def pass_time(self, seconds: float, ctx: Context) -> None:
        """Let this much robot time pass, with the arm where it is. Raises what `ctx` raises."""
        with self._command():
            for _ in range(round(seconds / self._period)):
                ctx.check()
                self._sense.advance()

    def stop(self) -> None:
        """End all motion now. Returns at standstill.

        A command that runs in another thread brakes and answers `stopped`. If a listener of the
        world calls this inside a command, it returns at once and the command does the same.
        """
        self._stop_asked.set()
        if self._commander == threading.get_ident():
            return
        with self._one_command:
            self._await_standstill()
            self._stop_asked.clear()

    @contextmanager
    def _command(self) -> Iterator[None]:
        with self._one_command:
            self._commander = threading.get_ident()
            try:
                yield
            finally:
                self._commander = None

    def _interruption(self, ctx: Context) -> Exception | None:
        """Why the running command should end early, or None."""
        if self._stop_asked.is_set():
            return Stopped()
        try:
            ctx.check()
        except (Cancelled, DeadlineExceeded) as interruption:
            return interruption
        return None

    def _interrupted(self, interruption: Exception) -> CommandResult:
        if not isinstance(interruption, Stopped):
            raise interruption
        self._stop_asked.clear()
        return CommandResult(False, Reason.STOPPED, 'stop was called; the arm stands still',
                             cause=Cause.STOPPED)

    def _finished(self, outcome: CommandResult | Exception) -> CommandResult:
        if isinstance(outcome, CommandResult):
            return outcome
        self._await_standstill()
        return self._interrupted(outcome)

    def _refusal(self, trajectory: JointTrajectory) -> str:
        """Why this trajectory must not be followed, or ''."""
        beyond = self._limits.violation(trajectory)
        if beyond:
            return beyond
        away = np.abs(trajectory.start - self.world.data.qpos[:franka.JOINTS])
        i = int(away.argmax())
        if away[i] > START_TOLERANCE:
            return (f'it starts {away[i]:.3f} rad away from where {self._limits.names[i]} is '
                    f'(at most {START_TOLERANCE:g} rad)')
        return ''

    def _follow(self, samples: Samples, watch: ContactWatch | None = None) -> str:
        """Command each sample for one step. Returns the contact that ended it, or ''.

        The servo pulls with stiffness · (command - q) - damping · qd. The command leads by what
        damping and inertia will take, so the arm follows without lag. A command that stayed for
        several steps would make the speed ripple.
        """
        for first in range(0, len(samples[0]), CHECK_STEPS):
            q, qd, qdd = (values[first:first + CHECK_STEPS] for values in samples)
            at_end = qd + qdd * self._step / 2  # the integrator damps with the speed at its end
            torque = at_end * self._damping + qdd @ self._sense.mass_matrix()
            commands = q + torque / self._stiffness
            for k in range(0, len(commands), CONTROL_STEPS):
                pair = commands[[k, min(k + 1, len(commands) - 1)]]
                felt = self._sense.advance(pair)
                contact = watch.contact(felt) if watch else ''
                if contact:
                    return contact
        return ''

    def _tracking_error(self, wanted: FloatArray) -> str:
        """A sentence if the arm is far from where it should be, or ''."""
        error = np.abs(self.world.data.qpos[:franka.JOINTS] - wanted)
        i = int(error.argmax())
        if error[i] <= TRACKING_TOLERANCE:
            return ''
        return (f'{self._limits.names[i]} is {error[i]:.3f} rad off its trajectory (at most '
                f'{TRACKING_TOLERANCE:g} rad): something is in the way; the arm was stopped')

    def _hold_here(self) -> None:
        self.world.data.ctrl[:franka.JOINTS] = self._limits.clamp(
            self.world.data.qpos[:franka.JOINTS])
        self._await_standstill()

    def _await_standstill(self, enough: Callable[[], bool] = lambda: True) -> None:
        """Step until the arm stands still and `enough` holds, at most for SETTLE_S."""
        speeds = self.world.data.qvel[:franka.JOINTS]
        for _ in range(round(SETTLE_S / self._period)):
            self._sense.advance()
            if np.abs(speeds).max() < STANDSTILL and enough():
                return

    def _arrive(self, goal: FloatArray, watch: ContactWatch | None) -> CommandResult:
        """Wait for the arm to settle at `goal`. What it feels there is a contact, too."""
        joints = self.world.data.qpos[:franka.JOINTS]
        self.world.data.ctrl[:franka.JOINTS] = goal
        self._await_standstill(lambda: bool(np.abs(joints - goal).max() < GOAL_TOLERANCE))
        contact = watch.contact(self._sense.now()) if watch else ''
        if contact and watch:
            self._hold_here()
            return watch.guard.ended_by(contact)
        error = np.abs(joints - goal)
        i = int(error.argmax())
        if error[i] <= GOAL_TOLERANCE:
            return CommandResult(True)
        return replace(_aborted(
            f'{self._limits.names[i]} settled {error[i]:.3f} rad away from its goal '
            f'(at most {GOAL_TOLERANCE:g} rad)', Cause.HELD_UP), short_of_goal=True)


def _aborted(detail: str, cause: Cause) -> CommandResult:
    return CommandResult(False, Reason.CONTROLLER_ABORTED, detail, cause=cause)
