# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
""" "Into its bin": the container that is named after the thing, or the only one."""

from __future__ import annotations

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.model.goals import goals_by_words

READER = build_reader()


def goals(task: str, things: str, bins: str) -> list[tuple[str, str, str]] | None:
    """Predicate, thing and container by the words; None if the words leave it open."""
    table = SceneObject('table', Shape.TABLE, (1.0, 1.0, 0.04), Pose((0.6, 0.1, -0.02)),
                        movable=False)
    loose = [SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((0.4 + 0.1 * i, -0.2, 0.02)),
                         name.partition('_')[0]) for i, name in enumerate(things.split())]
    fixed = [SceneObject(name, Shape.BIN, (0.15, 0.15, 0.08), Pose((0.3 + 0.2 * i, 0.25, 0.04)),
                         movable=False) for i, name in enumerate(bins.split())]
    scene = Scene('s', 0.0, (table, *loose, *fixed), 'by_hand')
    found = goals_by_words(PlanRequest(task, scene, standard_skills().specs()), Context(), READER)
    return found and [(g.predicate.value, str(name), str(g.target)) for g in found.goals for name
                      in (g.things.names(scene) if g.things else [g.object])]


@pytest.mark.parametrize(('task', 'things'), [
    ('put the red cube into its bin', 'red_cube'),
    ('put the red cube back into its bin', 'red_cube'),
    ('put the red cube and the blue cube into their bin', 'red_cube blue_cube'),
    ('put the red cube and the blue cube in their bins', 'red_cube blue_cube'),
    ('put the cubes into their bin', 'red_cube blue_cube')])
def test_the_only_bin_is_theirs(task, things):
    assert goals(task, 'red_cube blue_cube', 'bin') == [
        ('in', name, 'bin') for name in things.split()]


@pytest.mark.parametrize(('task', 'things'), [
    ('put the milk into its bin', 'milk'), ('put the can back into its bin', 'can'),
    ('move the milk to its own bin', 'milk'), ('pick up the can and put it in its bin', 'can'),
    ('put the milk and the can into their bins', 'milk can'),
    ('put everything into its bin', 'milk can')])
def test_a_bin_named_after_the_thing_is_its_bin(task, things):
    assert goals(task, 'milk can', 'milk_bin can_bin') == [
        ('in', name, f'{name}_bin') for name in things.split()]


@pytest.mark.parametrize(('task', 'bins'), [
    ('put the can into its bin', 'milk_bin bread_bin'),
    ('put the milk and the can into their bins', 'milk_bin bread_bin'),
    ('put the milk into its bin', 'red_bin blue_bin')])
def test_a_thing_without_a_bin_of_its_name_is_asked_about_if_there_are_several(task, bins):
    assert goals(task, 'milk can', bins) is None
