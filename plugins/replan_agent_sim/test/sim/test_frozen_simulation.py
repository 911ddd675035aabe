# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulated time: it goes on while nothing moves, and a motion does not go on after a pause."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from replan_agent_sim import physics as physics_module
from replan_agent_sim.physics import Physics
from replan_agent_sim.sim_commands import Commands

from replan_agent.app.build.scenes_by_name import scene_named
from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import CancelToken
from replan_agent.domain.skill import Reason
from replan_agent.motion.timing import time_joint_move
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.robot.mujoco.world import World
from replan_agent.robot.stepped_robot import STANDSTILL

FROZEN_S = 10.0


def test_a_motion_ends_where_the_simulation_stood_still(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(scene_named('pick_cube'), PANDA)
    robot = MujocoRobot(world)
    clock = [100.0]
    monkeypatch.setattr(physics_module, 'time', SimpleNamespace(monotonic=lambda: clock[0]))
    frozen_at: list[float] = []

    def freeze_once() -> bool:
        if world.time - began > 0.5 and not frozen_at:
            frozen_at.append(world.time)
            clock[0] += FROZEN_S
        return False

    def after_pause(pause_s: float) -> None:
        if pause_s > 2.0:
            commands.interrupt(f'it did not run for {pause_s:.1f} s')

    physics = Physics(world, 0.0, freeze_once, lambda seconds: None, after_pause)
    commands = Commands(physics, lambda: '', lambda: None, 60.0)
    goal = robot.home.copy()
    goal[0] = 1.0
    slow = time_joint_move(robot.state().joints, goal, robot.limits, 0.05, 0.1)
    began = world.time
    try:
        result = commands.run('a trajectory', lambda ctx: robot.execute(slow, ctx), CancelToken())
    finally:
        physics.close()
    assert result.reason is Reason.STOPPED
    assert '10.0 s' in result.detail
    assert np.abs(robot.state().velocities).max() < STANDSTILL
    assert world.time - frozen_at[0] < 0.5, 'it only brakes'


def test_at_realtime_factor_1_time_goes_on_while_nothing_moves(
        monkeypatch: pytest.MonkeyPatch) -> None:
    world, clock = World(scene_named('pick_cube'), PANDA), [100.0]
    monkeypatch.setattr(physics_module, 'time', SimpleNamespace(monotonic=lambda: clock[0]))
    told: list[float] = []
    physics = Physics(world, 1.0, lambda: bool(told.append(world.time)), lambda seconds: None)
    began = world.time
    for _ in range(10):
        clock[0] += 0.04
        physics.idle()
        physics.do(lambda: None).result()
    physics.close()
    assert world.time - began == pytest.approx(0.4, abs=0.01)
    assert told[-1] == world.time, 'whoever publishes the clock is told'
