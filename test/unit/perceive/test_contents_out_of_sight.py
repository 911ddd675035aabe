# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A bin seen by the camera: covered contents stay until it sees that they are gone."""

from __future__ import annotations

import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.geometry.judging import judge
from replan_agent.geometry.out_of_sight import Sight
from replan_agent.perceive.scene_memory import SceneMemory

from .synthetic import box, perception, picture

BIN = (box(0.5, 0.0, (0.2, 0.18, 0.006), colour='grey'),
       *(box(0.5 + x, y, size, colour='grey') for x, y, size in (
           (-0.097, 0.0, (0.006, 0.18, 0.065)), (0.097, 0.0, (0.006, 0.18, 0.065)),
           (0.0, -0.087, (0.2, 0.006, 0.065)), (0.0, 0.087, (0.2, 0.006, 0.065)))))
CUBE = box(0.47, -0.02, (0.03,) * 3, bottom=0.006)
COVER = box(0.5, 0.0, (0.17, 0.15, 0.014), colour='blue', bottom=0.042)
BESIDE = box(0.42, 0.2, (0.03,) * 3)


def verdicts(*pictures: tuple) -> list[bool | None]:
    """Whether each look shows that the red cube is in the bin."""
    camera = perception(*(picture(*BIN, *things) for things in pictures))
    memory = SceneMemory(camera, sight=Sight(camera.is_hidden, camera.sees_past))
    return [judge(Goal(Predicate.IN, 'red_cube', 'bin'), memory.observe(Context()))
            for _ in pictures]


def test_what_the_other_contents_cover_is_still_in_the_bin():
    assert verdicts((CUBE,), (COVER,), (COVER,)) == [True, True, True]


@pytest.mark.parametrize(('now', 'verdict'), [
    ((), None),  # someone took it out: the camera sees the floor of the bin
    ((BESIDE,), False),  # it is beside the bin
    ((COVER, BESIDE), False)])
def test_what_is_not_in_the_bin_any_more_is_not_believed_to_be(now, verdict):
    assert verdicts((CUBE,), (COVER,), now) == [True, True, verdict]
