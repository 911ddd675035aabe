# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the plug-in knows without robosuite: scene files, sentences, how things get their names."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from replan_agent_contact.inserting import Insert
from replan_agent_contact.ring import peg_around, ring_of
from replan_agent_robosuite.furniture import furniture_of, known_things, scene_of, table_of
from replan_agent_robosuite.known_scene import (
    MOST_UNLIKE,
    WithoutFurniture,
    robosuite_camera,
    unlike,
)
from replan_agent_robosuite.known_shape import covers, standing
from replan_agent_robosuite.robots import SIDECARS, robot_of
from replan_agent_robosuite.suite import CAMERA, ROBOSUITE, settings
from replan_agent_robosuite.tasks import PICK_PLACE, TABLE, TASKS

from replan_agent import (
    ConfigError,
    Context,
    PlanRequest,
    Pose,
    Predicate,
    Scene,
    SceneObject,
    load_config,
)
from replan_agent.app.build.build_reader import build_reader
from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import PANDA
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.domain.scene import Shape
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.plan.model.goals import goals_by_words
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

CORE = Path(__file__).resolve().parents[4] / 'replan_agent'


def thing_like(spec, colour=''):
    return SceneObject('seen', spec.shape, spec.size, Pose((0.6, -0.1, 0.0)),
                       colour or spec.colour.name)


def scene_with_things():
    scene = scene_of(PICK_PLACE)
    things = [SceneObject(spec.name, spec.shape, spec.size, Pose((0.5 + 0.07 * k, -0.2, -0.05)))
              for k, spec in enumerate(known_things(scene))]
    return Scene('s', 0.0, (table_of(scene), *furniture_of(scene), *things), 'test')


@pytest.mark.parametrize('env', [env for env in TASKS if env.startswith('PickPlace')])
def test_the_sentence_of_a_task_means_each_thing_in_its_own_bin(env):
    task = TASKS[env]
    request = PlanRequest(task.sentence, scene_with_things(), standard_skills().specs())
    goals = goals_by_words(request, Context(), build_reader()).goals
    assert [(g.predicate, g.object, g.target) for g in goals] == [
        (Predicate.IN, name, f'{name}_bin') for name in task.things.values()]


@pytest.mark.parametrize('kind', ['square', 'round'])
def test_the_sentence_about_a_nut_means_that_nut_and_that_peg(kind):
    sides = [Pose.from_rpy(0, 0, 0, yaw=k * math.pi / 2).rotation @ [0.03, 0, 0] for k in range(4)]
    half = np.array([(0.01, 0.04, 0.01), (0.04, 0.01, 0.01)] * 2)
    walls = [np.array(list(np.ndindex(2, 2, 2))) * 2 * h - h + at for at, h in zip(sides, half)]
    nuts = [replace(ring_of(f'{each}_nut', walls)[0], pose=Pose((0.45, y, -0.08)))
            for each, y in (('square', 0.2), ('round', -0.2))]
    posts = [SceneObject(f'post_{k}', Shape.CYLINDER, (0.04, 0.04, 0.2), Pose((0.79, y, -0.06)),
                         movable=False) for k, y in ((1, 0.1), (2, -0.1))]
    pegs = [peg_around(name, post, -0.09, nuts) for name, post in zip(
        ('square_peg', 'round_peg'), posts)]
    task = TASKS[f'NutAssembly{kind.capitalize()}']
    scene = Scene('s', 0.0, (table_of(scene_of(task.scene)), *nuts, *posts, *pegs), 'test')
    request = PlanRequest(task.sentence, scene, (*standard_skills().specs(), Insert.spec))
    (goal,) = goals_by_words(request, Context(), build_reader()).goals
    assert (goal.predicate, goal.object, goal.target) == (
        Predicate.IN, f'{kind}_nut', f'{kind}_peg')


def test_the_arm_of_wipe_has_the_wiping_tool_and_is_known_by_its_file():
    wiper = settings(load_config(), TASKS['Wipe'], 'ground_truth').robot.model
    assert robot_of(wiper) == 'Panda' and (SIDECARS / f'{wiper}.yaml').is_file()


def test_each_known_thing_is_most_like_its_own_description():
    things = known_things(scene_of(PICK_PLACE))
    for spec in things:
        best = min(things, key=lambda other: unlike(thing_like(spec), other))
        assert best is spec
        assert unlike(thing_like(spec, 'green'), spec) > unlike(thing_like(spec), spec)


@pytest.mark.parametrize(('shape', 'size', 'colour'), [
    (Shape.BOX, (0.04, 0.04, 0.04), 'green'), (Shape.SPHERE, (0.07, 0.07, 0.07), 'orange'),
    (Shape.BOX, (0.03, 0.03, 0.03), 'red'), (Shape.BOX, (0.067, 0.004, 0.051), 'orange')])
def test_an_unknown_thing_keeps_its_own_name(shape, size, colour):
    seen = SceneObject('seen', shape, size, Pose((0.6, -0.1, 0.0)), colour)
    known = known_things(scene_of(PICK_PLACE))
    assert min(unlike(seen, spec) for spec in known) > MOST_UNLIKE


@pytest.mark.parametrize(('name', 'seen_m'), [
    ('can', (0.041, 0.013, 0.074)), ('bread', (0.014, 0.012, 0.047))])
def test_what_is_seen_of_a_thing_behind_another_has_its_name(name, seen_m):
    spec = spec_of(name)
    seen = SceneObject('seen', Shape.BOX, seen_m, Pose((0.6, -0.1, 0.0)), spec.colour.name)
    assert unlike(seen, spec) <= MOST_UNLIKE
    assert min(known_things(scene_of(PICK_PLACE)), key=lambda each: unlike(seen, each)) is spec


@pytest.mark.parametrize(('file', 'sentence'), [
    (TABLE, "use 'camera' for other tasks"), (PICK_PLACE, 'needs a camera')])
def test_the_perception_with_bins_is_refused_without_them_or_without_a_camera(file, sentence):
    robot = SimpleNamespace(scene_file=file)
    with pytest.raises(ConfigError, match=sentence):
        robosuite_camera(SimpleNamespace(robot=robot, camera=lambda: None))


class _Picture:
    """A camera 1 m above a point, looking straight down; everything is at one depth."""

    def __init__(self, x, y, depth, focal_px=3000.0):
        self.frame = CameraFrame(0.0, np.zeros((3, 3, 3), np.uint8),
                                 np.full((3, 3), depth, np.float32),
                                 np.array([[focal_px, 0, 1], [0, focal_px, 1], [0, 0, 1]]),
                                 Pose((x, y, 1.0), (0.0, 1.0, 0.0, 0.0)))

    def capture(self, ctx):
        return self.frame


@pytest.mark.parametrize(('x', 'y', 'z', 'seen'), [
    (0.80, -0.15, -0.012, False),  # the rim of the tray
    (0.60, -0.15, -0.092, True),  # its floor
    (0.07, 0.14, -0.010, False),  # what the arm stands on
    (0.60, 0.255, -0.02, False),  # the wall between two bins
    (0.50, 0.255, -0.05, True)])  # a thing in a bin
def test_pixels_of_walls_lose_their_depth_and_others_keep_it(x, y, z, seen):
    camera = WithoutFurniture(_Picture(x, y, 1.0 - z), furniture_of(scene_of(PICK_PLACE)))
    assert bool(camera.capture(Context()).depth.all()) is seen
    assert bool(camera.capture(Context()).depth.any()) is seen


def test_a_wall_that_is_seen_shows_that_nothing_is_in_front_of_it():
    """The wall has no depth for finding things, but it is there."""
    camera = WithoutFurniture(_Picture(0.80, -0.15, 1.012, 30.0),
                              furniture_of(scene_of(PICK_PLACE)))
    before = SceneObject('milk', Shape.BOX, (0.04, 0.04, 0.144), Pose((0.80, -0.15, 0.08)))
    assert not camera.sees_past(before)  # there is no picture yet
    assert camera.capture(Context()).depth[1, 1] == 0
    assert camera.sees_past(before)
    assert not camera.sees_past(replace(before, pose=Pose((0.80, -0.15, -0.09))))


def test_a_partly_hidden_thing_stays_where_it_was_if_its_points_are_there():
    pose = Pose.from_rpy(0.5, 0.5, 0.0, yaw=0.4)
    whole = SceneObject('cereal', Shape.BOX, (0.1, 0.03, 0.15), pose)
    points = shown_points(spec_of('cereal'), whole.pose, EYE, 0.02)
    assert covers(whole, points)
    assert not covers(whole, points + [0.03, 0.0, 0.0]) and not covers(whole, points[:0])
    can = SceneObject('can', Shape.CYLINDER, (0.05, 0.05, 0.08), Pose((0.5, 0.5, 0.0)))
    corner = np.array([[0.524, 0.524, 0.0]])  # in the box around it, not in it
    assert covers(can, np.array([[0.5, 0.524, 0.03]])) and not covers(can, corner)


def shown_points(spec, pose, eye, least_z, every=0.003):
    """Points on the upright sides of a box that face the camera, above a height."""
    half = np.array(spec.size) / 2
    grid = [np.arange(-h, h + 1e-9, every) for h in half]
    found, T = [], pose.matrix()
    for axis in (0, 1):
        for side in (-1, 1):
            normal = T[:3, axis] * side
            if normal @ (eye - (T[:3, 3] + normal * half[axis])) <= 0:
                continue
            along, up = np.meshgrid(grid[1 - axis], grid[2])
            local = np.zeros((along.size, 3))
            local[:, axis], local[:, 1 - axis], local[:, 2] = (
                side * half[axis], along.ravel(), up.ravel())
            found.append(local @ T[:3, :3].T + T[:3, 3])
    points = np.concatenate(found)
    return points[points[:, 2] >= least_z]


EYE = np.array([1.4, 0.1, 0.8])


def spec_of(name):
    return next(spec for spec in known_things(scene_of(PICK_PLACE)) if spec.name == name)


@pytest.mark.parametrize('name', ['milk', 'bread', 'cereal'])
@pytest.mark.parametrize('yaw', [0.0, 0.3, 0.8, 1.5, -1.1])
def test_a_known_box_stands_where_two_of_its_sides_are_seen(name, yaw):
    spec = spec_of(name)
    pose = Pose.from_rpy(0.6, -0.2, -0.02, yaw=yaw)
    noise = np.random.default_rng(1).normal(0, 0.0005, 3)
    points = shown_points(spec, pose, EYE, -1.0) + noise
    found = standing(spec, points, EYE, -0.02 + spec.size[2] / 2)
    assert found is not None
    assert np.abs(np.subtract(found.position, pose.position)).max() < 0.003
    fold = math.pi / 2 if name == 'milk' else math.pi
    assert abs(math.remainder(found.yaw - yaw, fold)) < math.radians(2)


def test_points_that_are_no_such_box_tell_no_pose():
    spec, pose = spec_of('milk'), Pose.from_rpy(0.6, -0.2, -0.02, yaw=0.5)
    points, top = shown_points(spec, pose, EYE, -1.0), -0.02 + 0.072
    leaning = points + 0.3 * (points[:, 2:] - points[:, 2:].mean()) * [1, 0, 0]
    sliver = points[points[:, 1] > np.quantile(points[:, 1], 0.8)]
    for others in (points[:30], leaning, sliver, points * [1.5, 1.5, 1] - [0.3, -0.1, 0]):
        assert standing(spec, others, EYE, top) is None


def test_the_arm_may_go_down_to_robosuites_tables():
    for task in TASKS.values():
        low = settings(load_config(), task, CAMERA).workspace.z_min
        assert low < scene_of(task.scene).table.height


def test_bins_are_containers_that_do_not_move():
    bins = [each for each in furniture_of(scene_of(PICK_PLACE)) if each.shape is Shape.BIN]
    assert len(bins) == 4 and not any(each.movable for each in bins)


def test_the_suite_has_a_row_for_each_task_and_says_false_successes():
    assert [row.name for row in ROBOSUITE.rows] == list(TASKS)
    jobs = ROBOSUITE.jobs(ROBOSUITE.rows, 1, 0)
    assert {job.row for job in jobs} == set(TASKS)
    assert not [job for job in jobs if job.column == CAMERA and TASKS[job.row].only_truth]
    assert 'false' in [cell.heading for cell in ROBOSUITE.cells]


def test_the_core_knows_nothing_of_this_package():
    word = re.compile(r'^\s*(?:import|from) (?:robosuite|replan_agent_robosuite)', re.M)
    assert not [file for file in CORE.rglob('*.py') if word.search(file.read_text('utf-8'))]


@pytest.mark.parametrize(('joints', 'blockers'), [
    (franka.HOME, ()), ((-2.47, -1.73, -2.85, -1.54, 0.03, 0.69, 0.07), ('mount',))])
def test_the_arm_may_not_move_into_what_it_stands_on(joints, blockers):
    checker = MujocoCollisionChecker(PANDA)
    checker.use(MotionRequest(scene_with_things()))
    contact = checker.first_contact(np.array(joints))
    assert (contact.blockers if contact else ()) == blockers
