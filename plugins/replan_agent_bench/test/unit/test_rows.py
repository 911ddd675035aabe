# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every row is well declared: its scenes can exist, its sentence is understood."""

from __future__ import annotations

import hashlib
import math
from itertools import combinations

import pytest
from replan_agent_bench.all_suites import SUITES, find_suite
from replan_agent_bench.suites.motion_rows import MOTION, PERCEPTION, find_row
from replan_agent_bench.worlds.scenes import (
    NEIGHBOUR_AWAY_M,
    RADIUS_M,
    WALL_FROM_TARGET_M,
    WALL_SIZE,
)
from replan_agent_bench.worlds.space import FRANKA, Space

from replan_agent.domain.scene import Shape
from replan_agent.english.readings import readings
from replan_agent.robot.mujoco.scene.placement import Placed, overlap, place

SEEDS = range(40)
every_row = pytest.mark.parametrize('row', MOTION, ids=lambda row: row.name)


def placed_by_name(row, seed) -> dict[str, Placed]:
    return {p.spec.name: p for p in place(row.scene(row.case(seed)), seed)}


@pytest.mark.parametrize('name', SUITES)
def test_a_suite_has_the_name_it_is_listed_under_and_unique_rows(name):
    suite = find_suite(name)
    assert suite.name == name
    for values in ([r.name for r in suite.rows], [r.title for r in suite.rows]):
        assert len(set(values)) == len(values)


def test_a_suite_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(ValueError, match="'motions' is not one of: blocked, language, many, mbm"):
        find_suite('motions')


def test_a_row_is_found_with_ground_truth_and_with_the_camera():
    for row in (*MOTION, *PERCEPTION):
        assert find_row(row.name).draw is row.draw
        assert find_row(row.name).perception == row.perception


def test_a_claim_of_99_percent_takes_400_episodes_and_any_row_100():
    assert all(row.episodes >= 100 for row in MOTION)
    assert all(row.episodes >= 400 for row in MOTION if row.bar and row.bar >= 0.99)


def test_the_camera_meets_the_same_episodes_as_the_truth():
    with_truth = [row for row in PERCEPTION if row.perception == 'ground_truth']
    for row in with_truth:
        seen = [r for r in PERCEPTION if r.name.startswith(f'{row.name}-')]
        assert [r.name.split('-')[1] for r in seen] == ['camera', 'noisy', 'off']
        for other in seen:
            assert other.case(7) == row.case(7) and other.episodes == row.episodes
            assert other.scene(other.case(7)).camera.noise == other.noise
        clean, noisy, off = (r.noise for r in seen)
        assert clean.depth_sigma == 0 < noisy.depth_sigma == off.depth_sigma
        assert noisy.calibration_mm == 0 < off.calibration_mm
    assert {'clutter', 'bowl'} <= {row.name for row in with_truth}


def test_an_unknown_row_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match='cube24, .*cube24-noisy, .*moved'):
        find_row('cube 24 mm')


@every_row
def test_a_seed_decides_the_whole_case(row):
    assert row.case(3) == row.case(3)
    assert row.case(3).objects != row.case(4).objects


@every_row
def test_the_sentence_is_understood_and_the_target_is_there(row):
    for seed in SEEDS:
        case = row.case(seed)
        assert readings(case.task)
        target = next(o for o in case.objects if o.name == case.intended.target)
        assert not target.fixed and case.task.count(target.name.replace('_', ' ')) == 1
        assert RADIUS_M[0] - 0.01 <= math.hypot(*target.position[:2]) <= RADIUS_M[1] + 0.01


@every_row
def test_nothing_overlaps_and_all_is_on_the_table(row):
    for seed in SEEDS:
        placed = placed_by_name(row, seed)
        for a, b in combinations(placed.values(), 2):
            if row.name != 'bin':  # there the one is inside the other
                assert not overlap(a, b), (seed, a.spec.name, b.spec.name)
        for one in placed.values():
            x, y, _ = one.pose.position
            assert -0.2 < x < 0.9 and abs(y) < 0.6


def test_neighbours_stand_as_near_as_the_row_says():
    for seed in SEEDS:
        objects = placed_by_name(find_row('clutter'), seed)
        target = objects.pop('red_cube').pose.position
        away = [math.dist(o.pose.position, target) for o in objects.values()]
        assert len(away) == 4
        assert NEIGHBOUR_AWAY_M[0] <= min(away) and max(away) <= NEIGHBOUR_AWAY_M[1]


def test_the_wall_stands_13_cm_from_the_target_on_the_side_of_home():
    for seed in SEEDS:
        objects = placed_by_name(find_row('wall'), seed)
        target, wall = objects['red_cube'].pose.position, objects['wall']
        yaw = wall.pose.yaw
        gap = (target[0] - wall.pose.position[0], target[1] - wall.pose.position[1])
        across = abs(-math.sin(yaw) * gap[0] + math.cos(yaw) * gap[1]) - WALL_SIZE[1] / 2
        assert across == pytest.approx(WALL_FROM_TARGET_M)
        assert WALL_SIZE[2] == 0.35 and wall.spec.fixed and wall.spec.shape is Shape.WALL
        bearing = math.atan2(wall.pose.position[1], wall.pose.position[0])
        assert abs(bearing) < abs(math.atan2(target[1], target[0]))


def test_a_place_is_apart_from_where_the_cube_starts():
    for seed in SEEDS:
        case = find_row('place').case(seed)
        assert math.dist(case.judge.point, case.objects[0].position[:2]) > 0.07
        assert f'({case.judge.point[0]}, {case.judge.point[1]})' in case.task


SMALL = Space((0.2, 0.5), 0.06, 0.02, (0.3, 0.1, 0.2))
LARGE = Space((0.25, 1.3), 0.12, 0.06, (0.7, 0.16, 0.5))
other_space = pytest.mark.parametrize('space', [SMALL, LARGE], ids=['small', 'large'])
DIGEST = '54d8c7efd331df5b363b8105e9e0209f3404dae4e9f0e504aee46e774e1ee482'


def test_the_scenes_of_a_franka_are_the_same_as_ever():
    digest = hashlib.sha256()
    for row in MOTION:
        for seed in range(20):
            case = row.case(seed, FRANKA)
            digest.update(repr((case, row.scene(case, FRANKA))).encode())
    assert digest.hexdigest() == DIGEST


@other_space
@every_row
def test_the_scenes_of_another_arm_are_within_its_reach_and_its_hand(row, space):
    for seed in SEEDS:
        case = row.case(seed, space)
        target = next(o for o in case.objects if o.name == case.intended.target)
        as_for_franka = {o.name: o.size for o in row.case(seed).objects}[target.name]
        assert space.reach_m[0] - 0.01 <= math.hypot(*target.position[:2]) <= space.reach_m[1]
        assert target.size == pytest.approx([space.wide * side for side in as_for_franka])
        table = row.scene(case, space).table
        for one in place(row.scene(case, space), seed):
            x, y, _ = one.pose.position
            assert abs(x - table.position[0]) < table.size[0] / 2 and abs(y) < table.size[1] / 2


@other_space
def test_a_wall_leaves_room_for_the_hand_at_the_start(space):
    for seed in SEEDS:
        wall = find_row('wall').case(seed, space).objects[1]
        assert wall.size[2] < space.home_m[2] or space.is_clear(wall)
        assert math.dist(wall.position[:2], space.home_m[:2]) > 0.1
