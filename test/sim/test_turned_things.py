# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Turns of things that look the same only after a full turn, done in physics."""

from __future__ import annotations

import math

import pytest

from replan_agent import Simulation


def true_yaw_deg(sim: Simulation, name: str) -> float:
    return next(math.degrees(o.pose.yaw) for o in sim.world.true_objects() if o.name == name)


@pytest.mark.parametrize(('task', 'name', 'perception', 'degrees'), [
    ('give the mug a half turn', 'mug', 'ground_truth', 180),
    ('turn the spanner 120 degrees clockwise', 'spanner', 'ground_truth', -120),
    ('turn the yellow thing by 180 degrees', 'banana', 'camera', 180)])
def test_a_thing_ends_turned_as_far_as_was_said(
        task: str, name: str, perception: str, degrees: float) -> None:
    with Simulation('kitchen', perception=perception) as sim:
        before = true_yaw_deg(sim, name)
        assert sim.run(task).success
        turned = true_yaw_deg(sim, name) - before
    assert abs(math.remainder(turned - degrees, 360)) < 12
