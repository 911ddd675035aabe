# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Motion that does not touch what it should not, and the skills that build on it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import Reason, SkillResult
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

RED, GREY = Colour.named('red'), Colour.named('grey')


def box(name, x, y, size=(0.04, 0.04, 0.04), yaw=0.0, shape=Shape.BOX, **more):
    return ObjectSpec(name, shape, size, RED, (x, y, None), (0, 0, yaw), **more)


BOWL = box('bowl', 0.5, -0.25, (0.16, 0.16, 0.055), shape=Shape.BOWL, mass=0.25)
BIN = box('bin', 0.45, -0.3, (0.2, 0.16, 0.09), shape=Shape.BIN, mass=0.4)
WALL = ObjectSpec('wall', Shape.WALL, (0.02, 0.25, 0.35), GREY, (0.42, 0.0, None), fixed=True)


def sim_of(*objects: ObjectSpec) -> Simulation:
    return Simulation(SceneSpec('test', objects=objects))


def do(sim: Simulation, skill: str, **args) -> SkillResult:
    scene = sim.perception.observe(Context())
    return sim.skills.execute(Step(1, skill, args), scene, Context(), lambda phase: None)


def truth(sim: Simulation, name: str):
    return next(o for o in sim.world.true_objects() if o.name == name)


class Touches:
    """The judge: every pair of bodies that the simulator saw in contact."""

    def __init__(self, sim: Simulation) -> None:
        self.pairs: set[frozenset[str]] = set()
        self._sim = sim
        sim.world.on_step(self._look, 0.004)

    def _look(self) -> None:
        model, data = self._sim.world.model, self._sim.world.data
        for contact in data.contact[:data.ncon]:
            if contact.dist < 0:
                bodies = (model.geom_bodyid[g] for g in contact.geom)
                self.pairs.add(frozenset(str(model.body(b).name) for b in bodies))

    def of_arm_with(self, *names: str) -> set[frozenset[str]]:
        return {pair for pair in self.pairs
                if any(n in pair for n in names) and any('panda' in body for body in pair)}


def test_the_arm_goes_around_a_wall_between_it_and_the_object():
    sim = sim_of(box('red_cube', 0.55, 0.0, yaw=0.4), WALL)
    touches = Touches(sim)
    result = do(sim, 'pick', object='red_cube')
    assert result.success, result.reason_detail
    assert not touches.of_arm_with('wall', 'table')


def test_neighbours_are_not_touched_when_one_of_them_is_picked():
    others = [box(f'cube_{k}', 0.5 + 0.07 * math.cos(k * math.pi / 2),
                  0.07 * math.sin(k * math.pi / 2)) for k in range(4)]
    sim = sim_of(box('red_cube', 0.5, 0.0), *others)
    touches = Touches(sim)
    result = do(sim, 'pick', object='red_cube')
    assert result.success, result.reason_detail
    assert not touches.of_arm_with(*(o.name for o in others))


def test_an_object_in_a_pit_without_room_for_fingers_is_reported_with_what_blocks():
    walls = [ObjectSpec(f'wall_{k}', Shape.WALL, size, GREY, (0.5 + dx, dy, None), fixed=True)
             for k, (dx, dy, size) in enumerate([
                 (0.03, 0, (0.01, 0.08, 0.2)), (-0.03, 0, (0.01, 0.08, 0.2)),
                 (0, 0.03, (0.04, 0.01, 0.2)), (0, -0.03, (0.04, 0.01, 0.2))])]
    sim = sim_of(box('red_cube', 0.5, 0.0), *walls)
    result = do(sim, 'pick', object='red_cube')
    assert result.reason in (Reason.PATH_BLOCKED, Reason.IN_COLLISION)
    assert len(result.evidence['tried']) > 3
    assert result.blockers and all(name.startswith('wall_') for name in result.blockers)
    assert sim.world.time == 0.0


def test_a_tall_bottle_is_taken_and_held():
    sim = sim_of(box('bottle', 0.5, 0.1, (0.06, 0.06, 0.22), shape=Shape.CYLINDER, mass=0.3))
    assert do(sim, 'pick', object='bottle').success
    assert truth(sim, 'bottle').bottom_z > 0.08


def test_an_object_beyond_the_reach_from_above_is_taken_with_a_tilted_hand():
    sim = sim_of(box('red_cube', 0.76, 0.0))
    result = do(sim, 'pick', object='red_cube')
    assert result.success, result.reason_detail
    assert truth(sim, 'red_cube').bottom_z > 0.08


def test_a_bottle_is_taken_from_the_side_slowly_and_firmly_when_asked_to():
    bottle = box('bottle', 0.5, 0.1, (0.06, 0.06, 0.22), shape=Shape.CYLINDER, mass=0.3)
    sim, plain = sim_of(bottle), sim_of(bottle)
    assert do(plain, 'pick', object='bottle').success
    result = do(sim, 'pick', object='bottle', grasp='side', speed=0.5, force=60)
    assert result.success, result.reason_detail
    assert result.evidence['grasp']['tilt_deg'] == pytest.approx(90, abs=1)
    assert sim.robot.state().gripper_force == pytest.approx(60, abs=2)
    assert sim.world.time > 1.5 * plain.world.time


def test_a_turned_pick_closes_on_the_other_sides_of_a_cube():
    sides = []
    for turn in (0, 90):
        sim = sim_of(box('red_cube', 0.5, 0.1, yaw=0.3))
        result = do(sim, 'pick', object='red_cube', turn=turn)
        assert result.success, result.reason_detail
        sides.append(result.evidence['grasp']['closing_deg'])
    assert abs(math.remainder(sides[1] - sides[0], 180)) == pytest.approx(90, abs=1)


def test_a_bowl_is_lifted_by_its_rim():
    sim = sim_of(BOWL)
    result = do(sim, 'pick', object='bowl')
    assert result.success, result.reason_detail
    assert truth(sim, 'bowl').position[2] > 0.1


def test_a_stack_of_three_stands():
    sim = sim_of(box('a', 0.45, 0.2), box('b', 0.5, -0.1, yaw=0.5), box('c', 0.4, -0.3, yaw=1.0))
    for upper, lower in (('b', 'a'), ('c', 'b')):
        assert do(sim, 'pick', object=upper).success
        result = do(sim, 'stack', target=lower)
        assert result.success, result.reason_detail
    sim.world.step(500)
    assert truth(sim, 'c').bottom_z == pytest.approx(0.08, abs=0.004)


def test_a_ball_carries_no_stack():
    sim = sim_of(box('a', 0.45, 0.2), box('ball', 0.5, -0.2, shape=Shape.SPHERE))
    assert do(sim, 'pick', object='a').success
    result = do(sim, 'stack', target='ball')
    assert result.reason is Reason.PRECONDITION_FAILED and 'sphere' in result.reason_detail


def test_three_cubes_fit_into_a_bin_without_the_hand_touching_it():
    sim = sim_of(BIN, *(box(f'cube_{k}', 0.5, 0.0 + 0.1 * k) for k in range(3)))
    touches = Touches(sim)
    for k in range(3):
        assert do(sim, 'pick', object=f'cube_{k}').success
        result = do(sim, 'place_in', target='bin')
        assert result.success, result.reason_detail
    assert not touches.of_arm_with('bin')


def test_only_a_container_takes_things_in():
    sim = sim_of(box('a', 0.45, 0.2), box('b', 0.5, -0.1))
    assert do(sim, 'pick', object='a').success
    assert do(sim, 'place_in', target='b').reason is Reason.PRECONDITION_FAILED


@pytest.mark.parametrize(('direction', 'shift'), [
    ('left', (0.0, 0.1)), ('right', (0.0, -0.1)), ('forward', (0.1, 0.0)), ('back', (-0.1, 0.0)),
])
def test_an_object_is_pushed_where_it_was_asked_to_go(direction, shift):
    sim = sim_of(box('red_cube', 0.5, 0.0))
    result = do(sim, 'push', object='red_cube', direction=direction, distance=0.1)
    assert result.success, result.reason_detail
    moved = [truth(sim, 'red_cube').position[i] - (0.5, 0.0)[i] for i in (0, 1)]
    assert moved == pytest.approx(shift, abs=0.03)


def test_an_object_is_pushed_towards_another_and_stops_before_it():
    sim = sim_of(box('red_cube', 0.5, 0.15), box('blue_cube', 0.5, -0.1))
    result = do(sim, 'push', object='red_cube', target='blue_cube')
    assert result.success, result.reason_detail
    assert truth(sim, 'blue_cube').position[:2] == pytest.approx((0.5, -0.1), abs=0.005)
    assert math.dist(truth(sim, 'red_cube').position, truth(sim, 'blue_cube').position) < 0.08


def test_a_thing_that_turns_away_from_the_fingers_is_pushed_again_by_what_is_left():
    sim = Simulation('fruit')
    before = next(o for o in sim.world.true_objects() if o.name == 'banana')
    result = do(sim, 'push', object='banana', direction='right')
    now = next(o for o in sim.world.true_objects() if o.name == 'banana')
    assert result.success, result.reason_detail
    assert before.position[1] - now.position[1] > 0.6 * 0.08


def test_what_is_fixed_cannot_be_pushed():
    sim = sim_of(WALL)
    result = do(sim, 'push', object='wall', direction='left')
    assert result.reason is Reason.PRECONDITION_FAILED and sim.world.time == 0.0




def test_the_arm_stays_out_of_a_keep_out_zone_on_its_way():
    config = load_config()
    zone = 'glass 0.42 0.0 0.2 0.02 0.25 0.4'  # where a wall would be
    config = replace(config, workspace=replace(config.workspace, keep_out=(zone,)))
    sim = Simulation(SceneSpec('test', objects=(box('red_cube', 0.55, 0.0, yaw=0.4),)),
                     config=config)
    tcp_x: list[float] = []

    def inside_the_zone() -> None:
        x, y, z = sim.motion.forward(sim.robot.state().joints).position
        if abs(x - 0.42) < 0.01 and abs(y) < 0.125 and z < 0.4:
            tcp_x.append(x)

    sim.world.on_step(inside_the_zone, 0.004)
    assert do(sim, 'pick', object='red_cube').success and not tcp_x


def test_an_object_inside_a_keep_out_zone_is_not_picked():
    config = load_config()
    config = replace(config, workspace=replace(config.workspace,
                                               keep_out=('glass 0.5 0 0.1 0.2 0.2 0.2',)))
    sim = Simulation(SceneSpec('test', objects=(box('red_cube', 0.5, 0.0),)), config=config)
    result = do(sim, 'pick', object='red_cube')
    assert result.reason is Reason.IN_COLLISION and 'keep-out glass' in result.reason_detail
    assert result.blockers == (), 'a zone is no object that could be moved'
    assert sim.world.time == 0.0


@pytest.mark.parametrize('x, y', [(0.2, 0.1), (0.2, -0.1), (0.1, -0.2)])
def test_a_cube_close_to_the_base_is_picked(x, y):
    """The lift is planned in the pieces that it is executed in: joint 4 has no room for others."""
    with sim_of(box('red_cube', x, y)) as sim:
        assert do(sim, 'pick', object='red_cube').success
        assert truth(sim, 'red_cube').position[2] > 0.1
