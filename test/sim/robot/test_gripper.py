# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The gripper: stroke, speed, force, and grasps that only friction holds."""

from __future__ import annotations

import re

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import Reason


@pytest.mark.parametrize('width', [0.0, 0.03, 0.08])
def test_the_gripper_goes_to_a_width(bench, width) -> None:
    bench.robot.move_gripper(0.05, Context())
    assert bench.robot.move_gripper(width, Context()).success
    assert bench.robot.state().gripper_width == pytest.approx(width, abs=1e-3)


@pytest.mark.parametrize('width', [-0.01, 0.081, float('nan')])
def test_a_width_outside_the_stroke_is_refused(bench, width) -> None:
    result = bench.robot.move_gripper(width, Context())
    assert result.reason is Reason.CONTROLLER_ABORTED and '0 to 0.08 m' in result.detail


def test_the_fingers_keep_to_their_top_speed(bench) -> None:
    widths = []
    bench.world.on_step(lambda: widths.append(bench.robot.state().gripper_width), every_s=0.01)
    bench.robot.move_gripper(0.0, Context())
    assert np.abs(np.diff(widths)).max() / 0.01 <= 1.1 * PANDA.hand.max_speed_m_s


def test_a_cancelled_gripper_stops(bench) -> None:
    token = CancelToken()
    bench.world.on_step(token.cancel, every_s=0.2)
    with pytest.raises(Cancelled):
        bench.robot.move_gripper(0.0, Context(token))
    assert 0.01 < bench.robot.state().gripper_width < 0.07


def test_closing_on_nothing_ends_closed(bench) -> None:
    assert bench.robot.grasp(20.0, Context()).success
    assert bench.robot.state().gripper_width == pytest.approx(0, abs=1e-3)


def test_a_move_that_an_object_blocks_says_where(make_bench, thing) -> None:
    bench = make_bench(thing())
    bench.go(0.5, 0.1, 0.02)
    result = bench.robot.move_gripper(0.01, Context())
    assert result.reason is Reason.CONTROLLER_ABORTED
    assert re.search(r'\b(39|40)\.\d mm', result.detail)


@pytest.mark.parametrize(('asked', 'pressed'), [(10, 10), (40, 40), (500, 70)])
def test_a_grasp_presses_with_the_force_asked_for_up_to_the_motors(
        make_bench, thing, asked, pressed) -> None:
    bench = make_bench(thing())
    bench.grasp('cube', force=asked)
    assert bench.robot.state().gripper_force == pytest.approx(pressed, rel=0.02)


@pytest.mark.parametrize('force', [0, -5, float('nan')])
def test_an_invalid_force_is_refused(bench, force) -> None:
    assert bench.robot.grasp(force, Context()).reason is Reason.CONTROLLER_ABORTED


@pytest.mark.parametrize(('shape', 'size', 'mass'), [
    (Shape.BOX, (0.024, 0.024, 0.024), 0.05), (Shape.BOX, (0.04, 0.04, 0.04), 0.1),
    (Shape.BOX, (0.056, 0.056, 0.056), 0.2), (Shape.BOX, (0.024, 0.11, 0.024), 0.08),
    (Shape.CYLINDER, (0.04, 0.04, 0.06), 0.1), (Shape.SPHERE, (0.05, 0.05, 0.05), 0.1),
])  # fmt: skip
def test_a_grasped_object_neither_slips_nor_creeps(make_bench, thing, shape, size, mass) -> None:
    bench = make_bench(thing('it', shape, size, mass=mass, rpy=(0.0, 0.0, 0.4)))
    bench.grasp('it')
    lifted = bench.tool_to('it')
    bench.go(0.4, -0.25, 0.35, 0.3)
    bench.go(0.55, 0.25, 0.25, -0.6)
    moved = bench.tool_to('it')
    bench.world.step(2500)
    held = bench.tool_to('it')
    assert bench.thing('it').position[2] > 0.2
    assert bench.robot.state().gripper_width == pytest.approx(size[0], abs=1.5e-3)
    assert np.linalg.norm((moved - lifted)[:3, 3]) < 0.002
    assert np.linalg.norm((held - moved)[:3, 3]) < 0.0005


@pytest.mark.parametrize(('size', 'mass', 'force'), [
    ((0.04, 0.04, 0.04), 0.9, 40.0), ((0.04, 0.04, 0.04), 3.0, 70.0),
    ((0.02, 0.02, 0.1), 1.0, 70.0), ((0.006, 0.03, 0.03), 1.0, 10.0),
    ((0.069, 0.104, 0.064), 0.4, 10.0), ((0.05, 0.05, 0.2), 1.0, 20.0),
])  # fmt: skip
def test_fingers_that_press_on_a_flat_side_stand_still(make_bench, thing, size, mass,
                                                       force) -> None:
    bench = make_bench(thing('it', size=size, mass=mass))
    x, y, z = bench.thing('it').position
    z = max(z, 0.012, 2 * z - 0.03)  # near the top of a tall one
    bench.go(x, y, z + 0.1)
    bench.go(x, y, z)
    closed = bench.robot.grasp(force, Context())
    assert closed.success, closed.detail
    widths = []
    bench.world.on_step(lambda: widths.append(bench.robot.state().gripper_width), every_s=0.002)
    bench.world.step(500)
    assert max(widths) - min(widths) < 2e-5


def test_without_friction_the_same_grasp_lifts_nothing(make_bench, thing) -> None:
    bench = make_bench(thing(friction=0.005))
    bench.grasp('cube')
    assert bench.thing('cube').position[2] < 0.03
    assert bench.robot.state().gripper_width < 0.002


def test_a_weak_grasp_drops_a_heavy_object(make_bench, thing) -> None:
    bench = make_bench(thing(mass=2.0))
    bench.grasp('cube', force=5.0)
    assert bench.thing('cube').position[2] < 0.03


def test_a_released_object_falls_and_settles(make_bench, thing) -> None:
    bench = make_bench(thing())
    bench.grasp('cube')
    assert bench.robot.move_gripper(0.08, Context()).success
    bench.world.step(1000)
    before = bench.thing('cube').pose
    bench.world.step(500)
    assert bench.thing('cube').position[2] == pytest.approx(0.02, abs=1e-3)
    assert bench.thing('cube').pose.distance_to(before) < 1e-5


def test_a_cube_dropped_into_the_bowl_stays_there(make_bench, thing) -> None:
    bowl = thing('bowl', Shape.BOWL, (0.16, 0.16, 0.055), (0.5, -0.2, None), mass=0.3)
    bench = make_bench(thing(), bowl)
    bench.grasp('cube')
    bench.go(0.5, -0.2, 0.15)
    bench.robot.move_gripper(0.08, Context())
    bench.world.step(1500)
    cube, bowl = bench.thing('cube'), bench.thing('bowl')
    assert np.hypot(*np.subtract(cube.position, bowl.position)[:2]) < 0.05
    assert 0.0 < cube.position[2] < 0.06 and abs(bowl.position[0] - 0.5) < 0.01
