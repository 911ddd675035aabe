# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Small steps of the simulated arm, as a policy asks for them."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.robot.mujoco.world import World

BLOCK = 5  # physics steps between two commands


class Servo:
    """Moves the joints and the fingers of a world towards a command."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._gripper = world.model.actuator(world.arm.frame('gripper')).id

    def follow(self, joints: FloatArray, grip: float, seconds: float) -> None:
        """Go to these joints (rad) in that time. `grip` as in Stage.follow."""
        world, n = self._world, self._world.arm.joint_count
        start = np.array(world.data.ctrl[:n])
        blocks = max(1, round(seconds / world.timestep / BLOCK))
        for k in range(1, blocks + 1):
            world.data.ctrl[:n] = start + (joints - start) * k / blocks
            self._finger(grip)
            world.step(BLOCK)

    def _finger(self, grip: float) -> None:
        world, hand = self._world, self._world.arm.hand
        force = grip * hand.max_force_n if grip > 0 else hand.max_force_n
        world.model.actuator_forcerange[self._gripper] = (-force, force)
        goal = world.arm.dynamics.grasp_target_m if grip > 0 else -grip * hand.max_width_m
        stride = hand.max_speed_m_s * BLOCK * world.timestep
        before = float(world.data.ctrl[self._gripper])
        if goal > before:  # it presses: what opens starts at once
            before = max(before, world.gripper_width - stride)
        world.data.ctrl[self._gripper] = before + float(np.clip(goal - before, -stride, stride))
