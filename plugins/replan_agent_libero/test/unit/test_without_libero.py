# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the plug-in knows without LIBERO: words, names, shapes."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from replan_agent_libero.suite import LIBERO, LOWEST_M, TRUTH, settings
from replan_agent_libero.tasks import SUITES, Task, room_in, sentence_in
from replan_agent_libero.truth import Truth, names_of, shape_named
from replan_agent_robosuite.solids import corners_of, thing_of, upright

from replan_agent import ConfigError, Pose, load_config
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.gl import mujoco

CORE = Path(__file__).resolve().parents[4] / 'replan_agent'
CORNERS = np.array(list(np.ndindex(2, 2, 2))) - 0.5
ROOM = """<mujoco><worldbody>
<geom type="plane" size="5 5 1"/>
<body name="robot0_base" pos="-0.6 0 0.4"><geom type="box" size=".1 .1 .1"/></body>
<body name="table" pos="0 0 0.5"><geom type="box" size=".5 .4 .02"/></body>
<body name="plate_1" pos="0.1 0 0.52"><freejoint/>
  <geom type="box" size=".05 .05 .004" pos="0 0 .004"/>
  <geom type="box" size=".01 .05 .01" pos=".06 0 .01"/>
  <geom type="box" size=".01 .05 .01" pos="-.06 0 .01"/>
</body>
<body name="milk_1" pos="0.1 0.2 0.6" quat=".7071068 .7071068 0 0"><freejoint/>
  <geom type="box" size=".02 .06 .03"/><geom type="box" size="1 1 1" contype="0" conaffinity="0"/>
</body></worldbody></mujoco>"""


class Room:
    """A world with a table, a plate and a carton that stands on its own y axis."""

    def __init__(self):
        self.model = mujoco.MjModel.from_xml_string(ROOM)
        self.data = mujoco.MjData(self.model)
        things = {name: SimpleNamespace(category_name=name[:-2]) for name in ('plate_1', 'milk_1')}
        self.env = SimpleNamespace(objects_dict=things, fixtures_dict={}, obj_body_id={
            name: self.model.body(name).id for name in things})

    def in_base(self, T):
        return np.linalg.inv(Pose((-0.6, 0.0, 0.4)).matrix()) @ T


def test_the_words_of_a_task_are_those_of_its_file():
    text = '(define (problem X)\n (:language Pick the  milk\n and place it)\n (:regions))'
    assert sentence_in(text, 'file') == 'Pick the milk and place it'
    with pytest.raises(ValueError, match=r'a\.bddl has no \(:language'):
        sentence_in('(define (problem X))', 'a.bddl')


def test_tasks_in_the_same_room_differ_in_words_and_goal_alone():
    one, other = ('(define (:language put  it) (:init (On bowl_1 table)) (:obj_of_interest bowl_1)'
                  ' (:goal (And (On bowl_1 plate_1))))', '(define (:language open it)\n'
                  '(:init (On bowl_1 table)) (:goal (And (Open drawer_1))))')
    assert room_in(one) == room_in(other)
    assert room_in(one) != room_in(one.replace('table', 'stove'))


@pytest.mark.parametrize(('suite', 'limit_s'), [('libero_object', 14.0), ('libero_10', 26.0),
                                                ('libero_90', None)])
def test_policies_get_so_much_robot_time(suite, limit_s):
    assert Task(suite, 0, Path(), Path()).limit_s == limit_s


def test_things_are_called_as_sentences_call_them_and_numbered_where_there_are_several():
    assert names_of({'milk_1': 'milk', 'cookies_1': 'cookies', 'plate_1': 'plate',
                     'plate_2': 'plate'}) == {
        'milk_1': 'milk', 'cookies_1': 'cookies_box', 'plate_1': 'plate_1', 'plate_2': 'plate_2'}


@pytest.mark.parametrize(('category', 'shape'), [
    ('white_yellow_mug', Shape.BOWL), ('red_basket', Shape.BIN), ('plate', Shape.CYLINDER),
    ('milk', None)])
def test_kinds_of_things_have_a_shape(category, shape):
    assert shape_named(category) is shape


def test_the_true_scene_has_the_table_and_each_thing_as_it_stands():
    things = {o.name: o for o in Truth(Room()).objects()}
    assert list(things) == ['table', 'plate', 'milk']
    table, milk = things['table'], things['milk']
    assert table.shape is Shape.TABLE and table.top_z == pytest.approx(0.12)
    assert table.size == pytest.approx((1.0, 0.8, 0.04))
    assert milk.shape is Shape.BOX and sorted(milk.size) == pytest.approx([0.04, 0.06, 0.12])
    assert milk.size[2] == pytest.approx(0.12) and milk.pose.rotation[2, 2] == pytest.approx(1)
    assert milk.position == pytest.approx((0.7, 0.2, 0.2))
    assert all(o.movable for o in (things['plate'], milk)) and not table.movable


def test_a_plate_is_as_high_as_where_things_stand_on_it():
    plate = next(o for o in Truth(Room()).objects() if o.name == 'plate')
    assert plate.shape is Shape.CYLINDER
    assert plate.bottom_z == pytest.approx(0.12) and plate.top_z == pytest.approx(0.128)


def test_a_thing_that_moved_is_seen_where_it_is_now():
    room = Room()
    truth, at = Truth(room), room.model.jnt_qposadr[1]
    room.data.qpos[at:at + 3] += (0.1, 0.0, 0.05)
    milk = next(o for o in truth.objects() if o.name == 'milk')
    assert milk.position == pytest.approx((0.8, 0.2, 0.25))


def boxes(*places):
    return [0.02 * CORNERS + place for place in places]


@pytest.mark.parametrize(('parts', 'shape', 'pieces'), [
    (boxes((0, 0, 0)), Shape.BOX, 0),
    (boxes((0, 0, 0), (0.02, 0, 0)), Shape.BOX, 0),
    ([CORNERS * (0.04, 0.04, 0.04), 0.03 * CORNERS + (0, 0, 0.03)], Shape.IRREGULAR, 1),
    (boxes((0, 0, 0), (0.06, 0, 0), (0.06, 0.06, 0)), Shape.IRREGULAR, 3)])
def test_parts_are_a_box_or_a_hull_if_they_fill_it_and_pieces_if_not(parts, shape, pieces):
    thing, centre = thing_of('thing', parts, None, True)
    assert thing.shape is shape and len(thing.pieces) == pieces
    everything = np.concatenate(parts)
    assert centre == pytest.approx((everything.min(axis=0) + everything.max(axis=0)) / 2)


def test_the_handle_of_a_mug_does_not_make_it_wider():
    thing, _ = thing_of('mug', [CORNERS * (0.08, 0.08, 0.1), CORNERS * (0.02, 0.12, 0.02)],
                        Shape.BOWL, True)
    assert thing.size == pytest.approx((0.08, 0.08, 0.1))


@pytest.mark.parametrize(('kind', 'reach'), [
    ('type="box" size=".03 .02 .01"', (0.03, 0.02, 0.01)),
    ('type="cylinder" size=".03 .02"', (0.03, 0.03, 0.02)),
    ('type="capsule" size=".03 .02"', (0.03, 0.03, 0.05)),
    ('type="sphere" size=".03"', (0.03, 0.03, 0.03)),
    ('type="ellipsoid" size=".03 .02 .01"', (0.03, 0.02, 0.01))])
def test_corners_of_a_geom_reach_as_far_as_it(kind, reach):
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom {kind} pos="1 0 0"/></worldbody></mujoco>')
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    points = corners_of(model, data, 0) - (1, 0, 0)
    assert np.abs(points).max(axis=0) == pytest.approx(reach, abs=1e-6)


@pytest.mark.parametrize('roll', [0.0, np.pi / 2, np.pi, -np.pi / 2, 0.3])
def test_the_own_z_of_a_thing_is_what_points_up_most_at_the_start(roll):
    rotation = Pose.from_rpy(0, 0, 0, roll=roll, yaw=0.4).rotation
    turned = rotation @ upright(rotation)
    assert turned[2, 2] > np.cos(np.pi / 4) - 1e-9
    assert np.linalg.det(turned) == pytest.approx(1)


def test_the_arm_may_go_down_to_liberos_tables():
    assert settings(load_config(), TRUTH).workspace.z_min <= LOWEST_M


def test_the_suite_has_a_row_for_each_task_and_says_false_successes():
    assert [row.name for row in LIBERO.rows] == [
        f'{suite}/{number}' for suite in SUITES for number in range(10)]
    assert {'false', 'in limit'} <= {cell.heading for cell in LIBERO.cells}


def test_without_libero_the_suite_says_how_to_get_it():
    try:
        import libero.libero  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigError, match='make libero'):
            LIBERO.check([])


def test_the_core_knows_nothing_of_this_package():
    word = re.compile(r'^\s*(?:import|from) (?:libero|replan_agent_libero)', re.M)
    assert not [file for file in CORE.rglob('*.py') if word.search(file.read_text('utf-8'))]
