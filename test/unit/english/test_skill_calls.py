# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The verb of an installed skill is a word: the sentence is a call of it."""

from __future__ import annotations

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.scene import Scene, Shape
from replan_agent.domain.skill import SkillSpec
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner


def _skill(name: str, *objects: str, needs: tuple[str, ...] = ()) -> SkillSpec:
    properties = {key: {'type': 'string'} for key in (*objects, *needs)}
    return SkillSpec(name, 'A skill of a package.', {
        'type': 'object', 'properties': properties, 'required': [*objects, *needs]},
        object_arguments=objects, example=f'{name}()')


OWN = (_skill('tap', 'object'), _skill('wipe', 'object', 'tool'), _skill('nod'),
       _skill('hover_over', 'object'), _skill('paint', 'object', needs=('colour',)))


def plan(task: str, scene: Scene, own: tuple[SkillSpec, ...] = OWN) -> PlanReply:
    request = PlanRequest(task, scene, (*standard_skills().specs(), *own))
    return SearchPlanner(build_reader()).plan(request, Context())


@pytest.fixture
def scene(make_scene, make_object) -> Scene:
    return make_scene(make_object('bottle', 0.5, 0.1, shape=Shape.CYLINDER),
                      make_object('sponge', 0.6, 0.1, size=(0.04, 0.1, 0.03)),
                      make_object('red_cube', 0.4, 0.2), make_object('blue_cube', 0.4, -0.2))


@pytest.mark.parametrize(('task', 'calls'), [
    ('tap the bottle', ['tap(object=bottle)']),
    ('could you tap the red cube, please?', ['tap(object=red_cube)']),
    ('tap the bottle, then nod', ['tap(object=bottle)', 'nod()']),
    ('tap the bottle. Tap it', ['tap(object=bottle)'] * 2),
    ('tap both cubes', ['tap(object=red_cube)', 'tap(object=blue_cube)']),
    ('hover over the leftmost cube', ['hover_over(object=red_cube)']),
    ('wipe the bottle with the sponge', ['wipe(object=bottle, tool=sponge)'])])
def test_a_sentence_with_the_verb_of_a_skill_is_a_call_of_it(scene, task, calls):
    assert [step.told for step in plan(task, scene).steps] == calls


@pytest.mark.parametrize(('task', 'why'), [
    ('tap the cube', 'red_cube'), ('tap', 'also needs object'),
    ('paint the bottle', 'also needs colour'), ('wipe the bottle', 'also needs tool'),
    ('tap the bottle and put the sponge in the bowl', 'one after the other'),
    ('tap the hammer', 'hammer'), ('nod the bottle', 'names more')])
def test_what_the_skill_cannot_be_called_with_is_asked_about(scene, task, why):
    reply = plan(task, scene)
    assert reply.kind is ReplyKind.FAILED and why in reply.detail


def test_without_the_skill_its_verb_is_no_word(scene):
    reply = plan('tap the bottle', scene, ())
    assert reply.kind is ReplyKind.UNRECOGNIZED and '"tap" is not a word' in reply.detail


def test_a_skill_with_the_name_of_a_word_changes_no_sentence(scene):
    own = (_skill('put_in', 'object', 'target'), _skill('place', 'object'))
    assert [str(g) for g in plan('place the bottle in the bowl', scene, own).goals] == [
        'in(bottle, bowl)']
