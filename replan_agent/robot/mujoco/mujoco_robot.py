"""The simulated Franka behind the Robot protocol. It senses only encoders and motors."""

from __future__ import annotations

import numpy as np

from replan_agent.domain import franka
from replan_agent.domain.contact import ContactWatch
from replan_agent.domain.pose import FloatArray
from replan_agent.robot.mujoco.mjcf import franka_dynamics as dynamics
from replan_agent.robot.sampling import Samples
from replan_agent.robot.stepped_robot import SteppedRobot

from .gripper import Gripper
from .torque import CONTROL_STEPS, TorqueSense
from .world import World


class MujocoRobot(SteppedRobot):
    """The arm of a World. Commands step the world until they are done."""

    def __init__(self, world: World, base_frame: str = '') -> None:
        self.world = world
        self._stiffness = np.array(dynamics.STIFFNESS)
        # The servo's damping and the joint's own, which slow a moving arm.
        self._damping = np.array(dynamics.SERVO_DAMPING) + dynamics.JOINT_DAMPING
        self._sense = TorqueSense(world)
        super().__init__(world.joint_limits, Gripper(world),
                         base_frame or f'{world.arm_model}_link0', world.timestep,
                         self._sense.period)

    @property
    def home(self) -> FloatArray:
        return np.array(franka.HOME)

    @property
    def max_gripper_width(self) -> float:
        return franka.MAX_GRIPPER_WIDTH_M

    def _time(self) -> float:
        return self.world.time

    def _joints(self) -> FloatArray:
        return np.asarray(self.world.data.qpos[:franka.JOINTS])

    def _speeds(self) -> FloatArray:
        return np.asarray(self.world.data.qvel[:franka.JOINTS])

    def _felt(self) -> FloatArray:
        return self._sense.now()

    def _aim(self, joints: FloatArray) -> None:
        self.world.data.ctrl[:franka.JOINTS] = joints

    def _rest(self) -> None:
        self._sense.advance()

    def _follow(self, samples: Samples, watch: ContactWatch | None = None) -> str:
        """Command each sample for one step. Returns the contact that ended it, or ''.

        The servo pulls with stiffness · (command - q) - damping · qd. The command leads by what
        damping and inertia will take, so the arm follows without lag. A command that stayed for
        several steps would make the speed ripple.
        """
        for first in range(0, len(samples[0]), self._check_steps):
            q, qd, qdd = (values[first:first + self._check_steps] for values in samples)
            at_end = qd + qdd * self._step / 2  # the integrator damps with the speed at its end
            torque = at_end * self._damping + qdd @ self._sense.mass_matrix()
            commands = q + torque / self._stiffness
            if len(commands) % CONTROL_STEPS:
                commands = np.concatenate([commands, commands[-1:]])  # the last one stays
            for pair in commands.reshape(-1, CONTROL_STEPS, franka.JOINTS):
                felt = self._sense.advance(pair)
                contact = watch.contact(felt) if watch else ''
                if contact:
                    return contact
        return ''
