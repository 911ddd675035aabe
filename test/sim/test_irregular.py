# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Irregular things in real physics: seen as they are, avoided as they are, held by friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from replan_agent_bench.worlds.judges import Rose, Truth

from replan_agent import Simulation
from replan_agent.app.build.twin import build_twin
from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_ik import AnalyticIK
from replan_agent.domain.context import Context
from replan_agent.domain.piece import Piece, box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.geometry.judging import is_inside
from replan_agent.motion.grasping.grasps import top_down
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0, -0.02)), movable=False)


def kitchen() -> Simulation:
    return Simulation('kitchen', perception='ground_truth')


@pytest.mark.parametrize('name', ['mug', 'hammer', 'spatula', 'banana', 'spanner', 'toy_dog'])
def test_every_thing_of_the_kitchen_is_picked_up(name: str) -> None:
    with kitchen() as sim:
        before = Truth(sim.world).object(name)
        result = sim.run(f'pick up the {name.replace("_", " ")}')
        sim.world.step(500)
        assert result.success, result.final_detail
        assert Rose(name, before.position[2])(Truth(sim.world)) == ''


@pytest.mark.gl
@pytest.mark.parametrize(('words', 'name'), [
    ('brown thing', 'hammer'), ('black thing', 'spatula'), ('blue object', 'spanner'),
    ('orange thing', 'toy_dog'), ('white thing', 'mug'), ('yellow one', 'banana')])
def test_every_thing_of_the_kitchen_is_picked_up_from_the_camera(words: str, name: str) -> None:
    with Simulation('kitchen', perception='camera') as sim:
        before = Truth(sim.world).object(name)
        result = sim.run(f'pick up the {words}')
        sim.world.step(500)
        assert result.success, result.final_detail
        assert Rose(name, before.position[2])(Truth(sim.world)) == ''


def test_a_dog_that_is_moved_still_stands() -> None:
    """The hand that comes to grasp it does not knock it over on the way."""
    with kitchen() as sim:
        result = sim.run('put the toy dog at (0.44, -0.02)')
        assert result.success and not result.attempts, result.final_detail
        dog = Truth(sim.world).object('toy_dog')
        assert dog.pose.matrix()[2, 2] > 0.99


def test_a_banana_is_put_into_the_bin() -> None:
    with kitchen() as sim:
        result = sim.run('put the banana in the bin')
        assert result.success, result.final_detail
        truth = Truth(sim.world)
        assert is_inside(truth.object('banana'), truth.object('bin'))


def test_ground_truth_gives_the_pieces_where_the_thing_is() -> None:
    with kitchen() as sim:
        seen = sim.perception.observe(Context()).get('mug')
        assert seen is not None and seen.shape is Shape.IRREGULAR and len(seen.pieces) > 10
        assert seen.bottom_z == pytest.approx(0.0, abs=0.001)
        assert seen.top_z == pytest.approx(0.09, abs=0.001)


def test_the_twin_of_a_kitchen_stands_as_the_kitchen_does() -> None:
    with kitchen() as sim:
        scene = sim.perception.observe(Context())
    twin = build_twin(scene, PANDA)
    for thing in twin.true_objects():
        was = scene.get(thing.name)
        assert was is not None and thing.pose.distance_to(was.pose) < 0.003


def test_the_hand_may_reach_into_the_hollow_of_a_thing_but_not_into_the_thing() -> None:
    """A frame around the hand: its box is solid, its pieces are not."""
    sides = [Piece.around(box_piece(size).corners + at) for size, at in (
        ((0.34, 0.02, 0.1), (0, 0.16, 0)), ((0.34, 0.02, 0.1), (0, -0.16, 0)),
        ((0.02, 0.3, 0.1), (0.16, 0, 0)), ((0.02, 0.3, 0.1), (-0.16, 0, 0)))]
    frame = SceneObject('frame', Shape.IRREGULAR, (0.34, 0.34, 0.1), Pose((0.5, 0, 0.05)),
                        pieces=tuple(sides))
    solid = replace(frame, shape=Shape.BOX, pieces=())
    ik = AnalyticIK(franka.limits('panda'))
    joints = ik.solve_nearest(top_down(0.5, 0.0, 0.06, 0.0).matrix(), np.array(franka.HOME))
    assert joints is not None
    checker = MujocoCollisionChecker(PANDA)
    contacts = []
    for thing in (frame, solid, replace(frame, pose=Pose((0.5, 0.16, 0.05)))):
        checker.use(MotionRequest(Scene('s', 0.0, (TABLE, thing), 'test')))
        contacts.append(checker.first_contact(joints))
    free, inside_box, on_side = contacts
    assert free is None
    assert inside_box is not None and on_side is not None and 'frame' in on_side.blockers
