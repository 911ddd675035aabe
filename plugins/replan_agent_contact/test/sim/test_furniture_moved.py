# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drawers and doors are moved by contact alone, and what the skills tell of it is true."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from replan_agent_contact.cell import furnished, furnished_cell
from replan_agent_contact.contact_suite import most_force
from replan_agent_contact.furnished_world import FurnishedWorld
from replan_agent_contact.furniture import load_furnished, parse_furnished
from replan_agent_contact.joint import Jointed
from replan_agent_contact.opening import Open

from replan_agent import Agent, Pose, RobotParts, Scene, SceneObject, load_config
from replan_agent.app.build.plugins import SUITES, installed_names
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ROBOTS
from replan_agent.domain.scene import Shape
from replan_agent.geometry.judging import is_inside

CONFIG = load_config()
OPEN = 'open(object="drawer")'
FULL_M = load_furnished('cabinet')[1][0].travel


@pytest.fixture
def cell():
    return furnished_cell(RobotParts(CONFIG, 'cabinet'))


def agent_of(cell):
    return Agent(cell, config=CONFIG)


def cell_with(objects=(), x=0.78, **drawer):
    cabinet = {'name': 'cabinet', 'size': [0.26, 0.3, 0.16], 'position': [x, 0.0],
               'drawers': [{'name': 'drawer', **drawer}]}
    scene, parts = parse_furnished({'objects': list(objects), 'furniture': [cabinet]}, 'here')
    return furnished(CONFIG, scene, parts)


def failed_step(result):
    return next(step.result for step in result.steps if not step.result.success)


def test_a_drawer_is_opened_to_fill_it_and_closed_again(cell):
    agent, world = agent_of(cell), cell.world
    assert agent.run('open the drawer').goal_verified
    assert world.opened('drawer') == pytest.approx(FULL_M, abs=0.008)
    assert agent.run('please close the drawer').goal_verified
    assert agent.run('put the red cube in the drawer').goal_verified
    things = {o.name: o for o in world.true_objects()}
    assert world.opened('drawer') == pytest.approx(0.0, abs=0.008)
    assert is_inside(things['red_cube'], things['drawer'])


def test_a_door_is_opened_and_closed_on_its_arc():
    cell = furnished_cell(RobotParts(CONFIG, 'cupboard'))
    agent, full = agent_of(cell), load_furnished('cupboard')[1][0].travel
    assert agent.run('open the door').success
    assert cell.world.opened('door') == pytest.approx(full, abs=math.radians(5))
    assert agent.run('close the door').success
    assert cell.world.opened('door') == pytest.approx(0.0, abs=math.radians(5))


def test_a_locked_drawer_is_told_by_force_and_travel_and_not_tried_twice():
    _, cell = cell_with(locked=True)
    result = agent_of(cell).run(OPEN)
    (step,) = (each for each in result.steps if each.step.skill == 'open')
    assert not result.success and step.result.proved_impossible
    assert abs(step.result.evidence['travel']) < 0.005
    assert 25 <= step.result.evidence['force_n'] < 40
    assert 'locked or stuck' in result.final_detail


def test_a_drawer_that_jams_on_its_way_is_never_pulled_with_more_than_the_limit():
    world, cell = cell_with(jams_at=0.08)
    readings = []
    end = world.on_step(lambda: readings.append([world.pull_n('drawer')]), 0.002)
    config = replace(CONFIG, agent=replace(CONFIG.agent, max_step_retries=0, replanning=False))
    result = Agent(cell, config=config).run(OPEN)
    end()
    assert 'drawer is jammed: it went 8' in failed_step(result).reason_detail
    assert result.would_help == 'a person who frees drawer, or more force'
    assert 25 < most_force(readings) < 40


def low_drawer(**more):
    values = {'furniture': [{
        'name': 'cabinet', 'size': [0.24, 0.3, 0.22], 'position': [0.76, 0.0],
        'drawers': [{'name': 'bottom_drawer', 'travel': 0.13, **more}, {'name': 'top_drawer'}]}]}
    return furnished(CONFIG, *parse_furnished(values, 'here'))


def test_a_handle_below_another_one_is_hooked_with_a_finger():
    world, cell = low_drawer()
    agent = agent_of(cell)
    opened = agent.run('open the bottom drawer')
    assert opened.goal_verified and opened.steps[-1].result.evidence['hooked']
    assert world.opened('bottom_drawer') == pytest.approx(0.13, abs=0.008)
    assert agent.run('close the bottom drawer').goal_verified
    assert world.opened('bottom_drawer') == pytest.approx(0.0, abs=0.008)
    assert world.opened('top_drawer') == pytest.approx(0.0, abs=0.002)


def test_a_locked_drawer_is_told_as_locked_by_a_finger_that_hooks_it():
    world, cell = low_drawer(locked=True)
    steps = agent_of(cell).run('open the bottom drawer').steps
    (step,) = (each for each in steps if each.step.skill == 'open')
    assert step.result.proved_impossible and step.result.evidence['hooked']
    assert abs(step.result.evidence['travel']) < 0.005


def test_that_one_hold_does_not_reach_far_enough_is_no_proof():
    result = agent_of(cell_with(x=0.5)[1]).run(OPEN)
    assert not result.success and not failed_step(result).proved_impossible
    assert failed_step(result).stage == 'planning'


def test_what_stands_in_front_of_a_drawer_is_named_and_taken_away():
    cube = {'name': 'cup', 'shape': 'box', 'size': 0.04, 'position': [0.55, 0.05]}
    world, cell = cell_with([cube])
    result = agent_of(cell).run('open the drawer')
    assert failed_step(result).blockers == ('cup',) and failed_step(result).stage == 'planning'
    assert result.goal_verified and world.opened('drawer') > 0.9 * FULL_M


def test_a_drawer_whose_line_is_seen_three_degrees_wrong_is_opened(cell):
    turn = math.radians(3)

    def seen():
        for o in cell.world.visible_objects():
            if isinstance(o, Jointed):
                x, y, z = o.joint.axis
                axis = (x * math.cos(turn), y, z + abs(x) * math.sin(turn))
                o = replace(o, joint=replace(o.joint, axis=axis))
            yield o

    assert agent_of(replace(cell, true_objects=lambda: tuple(seen()))).run(OPEN).success
    assert cell.world.opened('drawer') == pytest.approx(FULL_M, abs=0.008)


def test_fingers_that_lose_the_handle_have_not_opened_the_drawer(cell):
    world = cell.world
    gripper = world.model.actuator(world.arm.frame('gripper')).id

    def pulled_apart():
        if world.opened('drawer') > 0.05:
            world.data.ctrl[gripper] = 0.06

    end = world.on_step(pulled_apart, 0.01)
    agent = Agent(cell, config=replace(CONFIG, agent=replace(CONFIG.agent, max_step_retries=0,
                                                             replanning=False)))
    result = agent.run(OPEN)
    end()
    assert not result.success and world.opened('drawer') < 0.9 * FULL_M
    assert failed_step(result).reason == 'grasp_slipped'


def test_a_drawer_that_rolls_back_is_seen_and_not_told_as_open(cell):
    def seen():
        for o in cell.world.visible_objects():
            if isinstance(o, Jointed) and o.joint.state > 0.1:
                o = replace(o, joint=replace(o.joint, state=0.06))
            yield o

    result = agent_of(replace(cell, true_objects=lambda: tuple(seen()))).run(OPEN)
    assert failed_step(result).reason == 'verification_failed'


def test_an_installed_package_offers_the_world_and_the_suite(installed, on_path):
    on_path(installed('plugins/replan_agent_contact'))
    assert 'furnished' in installed_names(ROBOTS)
    assert 'contact' in installed_names(SUITES)


def test_what_is_too_high_for_the_cabinet_keeps_its_drawer_open():
    bottle = {'name': 'bottle', 'shape': 'box', 'size': [0.05, 0.05, 0.24],
              'position': [0.58, 0.0, 0.145]}
    low = {**bottle, 'name': 'low', 'size': [0.05, 0.05, 0.05], 'position': [0.58, 0.08, 0.05]}
    world, cell = cell_with([bottle, low], open=0.15)
    result = agent_of(cell).run('close(object="drawer")')
    assert failed_step(result).blockers == ('bottle',)
    assert 'bottle in drawer meets cabinet' in failed_step(result).reason_detail
    assert world.opened('drawer') == pytest.approx(0.15, abs=0.002)


@pytest.mark.parametrize('degrees', [13.5, 31.5, 48.0])
def test_a_thin_thing_within_the_arc_of_a_door_is_found(degrees):
    world = FurnishedWorld(*load_furnished('cupboard'), arm_named(CONFIG.robot.model))
    (door,) = (o for o in world.true_objects() if o.name == 'door')
    joint, out = door.joint, 0.27
    edge = np.subtract(door.position, joint.point)
    there = Pose(tuple(np.add(joint.point, out * edge / np.linalg.norm(edge[:2]))))
    x, y, _ = joint.moved(there, math.radians(degrees)).position
    pen = SceneObject('pen', Shape.BOX, (0.012, 0.012, 0.1), Pose((x, y, 0.05)))
    scene = Scene('base', 0.0, (*world.true_objects(), pen), 'ground_truth')
    told = Open().check(SimpleNamespace(scene=scene, args={'object': 'door'}))
    assert told is not None and told.blockers == ('pen',)
