"""What is said beside an order is left out and said; what may be a part of it never is."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hand_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.app.build.share import share_path
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.english.language.wording.side_remarks import Bare, without_remarks
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

READER = build_reader()
SKILLS = standard_skills().specs()
TABLETOP, KITCHEN = SCENES['tabletop'], SCENES['kitchen']
ORDER = 'put the red cube in the bowl'


def planned(task: str, scene: str = 'tabletop', **more) -> PlanReply:
    return SearchPlanner(READER).plan(PlanRequest(task, SCENES[scene], SKILLS, **more), Context())


@pytest.mark.parametrize(('said', 'left', 'remarks'), [
    (f'My hands are full, {ORDER}', ORDER, ('My hands are full',)),
    (f'{ORDER}, it is mouldy.', f'{ORDER}.', ('it is mouldy',)),
    (f'{ORDER} and we are done', ORDER, ('and we are done',)),
    (f'I am tired {ORDER}', ORDER, ('I am tired',)),
    (f'Dinner is ready, I am hungry. {ORDER}', ORDER, ('Dinner is ready', 'I am hungry')),
    ('The bar is dirty, get rid of it', 'get rid of the bar', ('The bar is dirty',)),
    ('The bar looks old, into the bin it goes', 'the bar goes into the bin',
     ('The bar looks old',)),
    ('The red cube is mine, do not move it. The bar goes in the bin',
     'do not move the red cube. The bar goes in the bin', ('The red cube is mine',)),
])
def test_a_remark_is_left_out_and_gives_it_its_meaning(said, left, remarks):
    assert without_remarks(said, TABLETOP) == Bare(left, remarks)


@pytest.mark.parametrize('beside', [
    'the red cube is fragile', 'I like the can', 'I changed my mind', 'just kidding',
    'it should be upright', 'the can is in the bin', 'I mean the blue one', 'we tidy up',
    'wipe the floor', 'it is full', 'someone should sing', 'nobody is here', 'I am facing you',
    'it is five', 'they are the small ones', 'my finger is in the bowl', 'then wait',
    'you are too fast', 'if I am hungry', 'until I am hungry', 'the kiwi', 'kiwi',
    'it is forbidden', 'that is wrong', 'the bin is to be emptied', 'dad will get it'])
def test_what_may_be_a_part_of_the_order_stays(beside):
    for task in (f'{beside}, put all things in the bowl', f'put all things in the bowl, {beside}'):
        assert without_remarks(task, TABLETOP) == Bare(task)


@pytest.mark.parametrize('task', [
    'if there is a red cube, and it is dirty, put it in the bin',
    'the kettle is hot, put it in the bowl', 'the bar is old, the can is old, put it in the bin',
    'my sister is hungry, put it in the bowl', 'I saw dad put the bar in the bin',
    'put the bar next to the bowl so it is straight', 'the bar was old so I put it in the bin',
    'I am hungry. Where is the bar?', 'I am hungry', 'the bar is old'])
def test_no_condition_story_or_question_becomes_an_order(task):
    assert planned(task).kind in (ReplyKind.UNRECOGNIZED, ReplyKind.FAILED)


def test_the_plan_says_once_what_it_does_not_read_as_a_command():
    task = "I'm hungry. Put the bar in the bin, it's mouldy."
    said = ['not read as a command: "I\'m hungry"', 'not read as a command: "it\'s mouldy"']
    assert list(planned(task).warnings) == said
    before = PlanRequest(task, TABLETOP, SKILLS)
    assert not planned(task, previous=before).warnings


def test_a_ban_after_a_remark_holds():
    reply = planned("The red cube is mine, don't move it. All the other stuff goes in the bin.")
    assert reply.left_alone == ('red_cube',)
    assert 'red_cube' not in {step.args.get('object') for step in reply.steps}


def test_a_call_is_no_thing_of_the_scene():
    assert without_remarks('mug in the bin, love', KITCHEN).text == 'mug in the bin'
    toy = replace(TABLETOP, objects=(replace(TABLETOP.objects[0], name='toy_robot'),))
    assert without_remarks('red cube, robot', toy).text == 'red cube, robot'


def test_any_mixture_of_sentences_is_read_without_an_error():
    rng = random.Random(7)
    tables = share_path('config', 'sentences').glob('*.txt')
    texts = [line.split(' => ')[0] for table in sorted(tables)
             for line in table.read_text('utf-8').splitlines() if ' => ' in line]
    for _ in range(300):
        words = ' '.join(rng.sample(texts, 2)).split()
        start = rng.randrange(len(words))
        without_remarks(' '.join(words[start:start + rng.randrange(1, 20)]), TABLETOP)
