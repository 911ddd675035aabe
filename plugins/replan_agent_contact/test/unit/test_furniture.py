# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scene files with a cabinet and its drawers."""

from __future__ import annotations

import pytest
from replan_agent_contact.furniture import load_furnished, parse_furnished
from replan_agent_contact.joint import Joint

from replan_agent import ConfigError, Pose


def cabinet(**changes):
    return {'name': 'cabinet', 'size': [0.26, 0.3, 0.16], 'position': [0.78, 0.0],
            'drawers': [{'name': 'drawer'}], **changes}


def parsed(**changes):
    return parse_furnished({'furniture': [cabinet(**changes)]}, 'here')


def test_a_cabinet_stands_on_the_table_and_stays_there():
    scene, _ = parsed()
    (thing,) = scene.objects
    assert thing.fixed and thing.position == pytest.approx((0.78, 0.0, 0.08))


def test_drawers_share_the_height_from_the_lowest_up():
    _, (low, high) = parsed(drawers=[{'name': 'low'}, {'name': 'high'}])
    at, above = low.closed.position[2], high.closed.position[2]
    assert low.size == high.size and at == pytest.approx(-above)
    assert low.size[2] < 0.07 and at < above


def test_a_locked_drawer_moves_only_by_its_play():
    _, (drawer,) = parsed(drawers=[{'name': 'drawer', 'locked': True, 'open': 0.05}])
    low, high = drawer.range
    assert low == 0.05 and 0 < high - low < 0.002


@pytest.mark.parametrize(('hinge', 'side'), [('left', 1), ('right', -1)])
def test_a_door_turns_about_its_hinge_and_has_its_handle_on_the_other_side(hinge, side):
    _, (door,) = parsed(drawers=[], door={'name': 'door', 'hinge': hinge})
    joint = Joint(door.kind, door.axis, door.point, 0.0, door.travel, 0.0)
    bar = Pose.from_matrix(door.closed.matrix() @ door.bar.matrix())
    assert door.point[1] * side > 0 > bar.position[1] * side
    assert joint.way(bar)[0] < 0  # to the front, when it opens


@pytest.mark.parametrize('changes, words', [
    ({'drawers': []}, 'a list of drawers, or absent if there is a door'),
    ({'door': {'name': 'door'}}, 'absent if there is a door'),
    ({'drawers': [], 'door': {'name': 'door', 'hinge': 'top'}}, 'left, right'),
    ({'drawers': [{'name': 'drawer', 'open': 0.4}]}, 'at most'),
    ({'drawers': [{'name': f'drawer{k}'} for k in range(9)]}, 'fewer drawers'),
    ({'drawers': [{'name': 'drawer', 'travel': 0.5}]}, 'of its length'),
    ({'drawers': [{'name': 'drawer', 'wheels': 4}]}, 'wheels'),
    ({'drawers': [{'name': 'cabinet'}]}, 'taken'),
    ({'size': [0.26, 0.3]}, 'size'),
    ({'colour': 'loud'}, 'colour')])
def test_a_wrong_key_is_named_with_what_is_allowed(changes, words):
    with pytest.raises(ConfigError, match=words):
        parsed(**changes)


def test_the_scene_of_the_package_is_found_by_name_and_others_are_told():
    scene, drawers = load_furnished('cabinet')
    assert scene.name == 'cabinet' and [d.name for d in drawers] == ['drawer']
    with pytest.raises(ConfigError, match='choose from: beads, board, cabinet, chest, '):
        load_furnished('wardrobe')
