# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is in a container is counted, and poured is what lies in another one."""

from __future__ import annotations

import numpy as np
import pytest
from replan_agent_contact.furniture import parse_furnished
from replan_agent_contact.grains import GrainFields, Grains, Holder

from replan_agent import ConfigError, Pose, SceneObject
from replan_agent.domain.scene import Shape

CUP = SceneObject('cup', Shape.BIN, (0.06, 0.06, 0.1), Pose((0.4, 0.0, 0.05)))
BOWL = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.05), Pose((0.6, 0.0, 0.025)))
CUBE = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.4, 0.3, 0.02)))


def seen(in_cup: int, in_bowl: int, beside: int) -> dict[str, SceneObject]:
    grains = Grains(GrainFields('cup', in_cup + in_bowl + beside))
    places = np.array([*[(0.4, 0, 0.03)] * in_cup, *[(0.6, 0, 0.02)] * in_bowl,
                       *[(0.5, 0.2, 0.005)] * beside])
    return {o.name: o for o in grains.seen((CUP, BOWL, CUBE), places)}


@pytest.mark.parametrize(('in_cup', 'in_bowl', 'beside', 'now'), [
    (10, 0, 0, ''), (0, 10, 0, 'poured'), (1, 9, 0, 'poured'), (2, 8, 0, ''), (0, 5, 5, ''),
    (0, 0, 10, '')])
def test_poured_is_what_left_the_cup_and_lies_in_the_bowl(in_cup, in_bowl, beside, now):
    things = seen(in_cup, in_bowl, beside)
    assert isinstance(things['cup'], Holder) and things['cup'].grains == in_cup
    assert things['bowl'].grains == in_bowl and things['cup'].states.now == now
    assert type(things['cube']) is SceneObject and things['bowl'].states is None


def test_grains_begin_in_a_container_of_the_scene():
    cup = {'name': 'cup', 'shape': 'bin', 'size': [0.06, 0.06, 0.1], 'position': [0.4, 0.0]}
    scene, _ = parse_furnished({'objects': [cup], 'grains': [{'holder': 'cup'}]}, 'here')
    assert scene.grains[0].count == 30
    with pytest.raises(ConfigError, match='one of cup'):
        parse_furnished({'objects': [cup], 'grains': [{'holder': 'mug'}]}, 'here')
