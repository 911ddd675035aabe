# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dirt is where it is seen, and goes where something soft is pressed on it."""

from __future__ import annotations

import pytest
from replan_agent_contact.furniture import parse_furnished
from replan_agent_contact.stain import Dirt, StainFields, wipes

from replan_agent import ConfigError, Pose, SceneObject
from replan_agent.domain.scene import Shape

SPOT = StainFields('stain', (0.12, 0.08), (0.5, 0.0))


def sponge(x: float, z: float, yaw: float = 0.0) -> SceneObject:
    return SceneObject('sponge', Shape.BOX, (0.062, 0.1, 0.03), Pose.from_rpy(x, 0, z, yaw=yaw))


def test_what_is_below_the_sponge_goes_and_the_rest_stays():
    dirt = Dirt(SPOT, 0.0)
    assert dirt.seen(0.0).states.now == '' and dirt.seen(0.0).left == 1.0
    dirt.wiped(sponge(0.47, 0.015))
    assert dirt.seen(0.0).left == pytest.approx(0.5, abs=0.05)
    dirt.wiped(sponge(0.47, 0.015))
    assert dirt.seen(0.0).left == pytest.approx(0.5, abs=0.05) and dirt.seen(0).states.now == ''
    dirt.wiped(sponge(0.53, 0.015))
    assert dirt.seen(0.0).left == 0.0 and dirt.seen(0.0).states.now == 'wiped'


def test_a_sponge_above_it_takes_nothing_off():
    dirt = Dirt(SPOT, 0.0)
    assert dirt.wiped(sponge(0.5, 0.02)) == [] and dirt.seen(0.0).left == 1.0


def test_only_a_sponge_or_a_cloth_wipes():
    assert wipes('yellow_sponge') and wipes('cloth') and not wipes('red_cube')


def test_a_scene_file_has_stains_and_their_names_are_their_own():
    values = {'stains': [{'name': 'stain', 'size': [0.1, 0.1], 'position': [0.5, 0.0]}]}
    scene, _ = parse_furnished(values, 'here')
    assert scene.stains[0].size == (0.1, 0.1)
    with pytest.raises(ConfigError, match="'stain' is taken"):
        parse_furnished({'stains': values['stains'] * 2}, 'here')
