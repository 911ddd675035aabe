"""The scripted model: what it reads from a request, and that it adapts."""

from __future__ import annotations

import json

import pytest

from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.prompts import tools
from replan_agent.vlm.scripted.scripted_rules import answer, read_request


def thing(name, x=0.5, y=0.0, z=0.02, shape='box', size=(0.04, 0.04, 0.04), **more):
    return {'name': name, 'shape': shape, 'colour': name.split('_')[0], 'size_m': size,
            'position_m': (x, y, z), 'movable': True, **more}


CUBES = (thing('red_cube', 0.5, 0.2), thing('blue_cube', 0.4, -0.1))
TOOLS = [{'function': {'name': tool.name, 'description': tool.description}}
         for tool in tools(standard_skills().specs()) if tool.name != 'suggest_plan']
BOWL = thing('bowl', 0.5, -0.3, 0.03, 'bowl', (0.16, 0.16, 0.06), container=True)
TABLE = thing('table', 0.4, 0.0, -0.02, 'table', (1.2, 1.2, 0.04), movable=False)


def request(task, *objects, held=None, completed=(), attempts=()):
    scene = {'task': task, 'held': held, 'objects': [*(objects or CUBES), BOWL, TABLE]}
    texts = [json.dumps(scene), '\n'.join(f'  DONE {i}. {t}' for i, t in enumerate(completed, 1))]
    messages = [{'role': 'system', 'content': 'rules'}, _user(*texts)]
    if attempts:
        messages.append(_user('Previously-failed steps — do NOT repeat them unchanged:',
                              json.dumps(attempts)))
    return {'messages': messages, 'tools': list(TOOLS)}


def _user(*texts):
    return {'role': 'user', 'content': [{'type': 'text', 'text': text} for text in texts]}


def attempt(skill, reason, **args):
    return {'step_idx': 0, 'skill': skill, 'args': args, 'reason': reason, 'reason_detail': 'why'}


def steps(body):
    return [call for call in answer(body) if call[0] != 'set_goal']


PICK_RED = ('pick', {'object': 'red_cube'})


@pytest.mark.parametrize(('task', 'expected'), [
    ('pick up the red cube', [PICK_RED]),
    ('put the red cube in the bowl', [PICK_RED, ('place_on', {'target': 'bowl'})]),
    ('Pick up the red cube and put it in the bowl.',
     [PICK_RED, ('place_on', {'target': 'bowl'})]),
    ('stack the red block on the blue block', [PICK_RED, ('place_on', {'target': 'blue_cube'})]),
    ('place the red_cube at (0.4, -0.2)', [PICK_RED, ('place_at', {'x': 0.4, 'y': -0.2})]),
])
def test_it_plans_simple_tasks(task, expected):
    assert steps(request(task)) == expected


def test_it_names_the_goal():
    assert answer(request('put the red cube in the bowl'))[0] == (
        'set_goal', {'goals': [{'predicate': 'in', 'object': 'red_cube', 'target': 'bowl'}]})


def test_it_plans_only_the_next_part_and_asks_to_look_again():
    body = request('put the red cube in the bowl then put the blue cube in the bowl')
    assert steps(body) == [PICK_RED, ('place_on', {'target': 'bowl'}), ('__replan__', {})]
    in_bowl = thing('red_cube', 0.5, -0.3, 0.03)
    rest = request('put the red cube in the bowl then put the blue cube in the bowl', in_bowl,
                   CUBES[1])
    assert steps(rest) == [('pick', {'object': 'blue_cube'}), ('place_on', {'target': 'bowl'})]


def test_it_goes_on_with_what_is_held():
    assert steps(request('put the red cube in the bowl', held='red_cube')) == [
        ('place_on', {'target': 'bowl'})]


def test_it_says_when_nothing_is_left_to_do():
    assert steps(request('pick up the red cube', held='red_cube')) == [('done', {})]
    home = request('go home', completed=['Home, as asked'])
    assert steps(home) == [('done', {})]


def test_an_object_that_was_not_found_makes_it_try_another_that_fits():
    body = request('pick up the cube', attempts=[
        attempt('pick', 'object_not_found', object='red_cube')])
    assert steps(body) == [('pick', {'object': 'blue_cube'})]


@pytest.mark.parametrize('reason', ['unreachable', 'object_not_found'])
def test_it_gives_up_with_the_reason_when_nothing_else_fits(reason):
    (name, args), = answer(request('pick up the red cube', attempts=[
        attempt('pick', reason, object='red_cube')]))
    assert name == 'give_up' and reason in args['reason'] and 'why' in args['reason']


def test_a_slip_makes_it_look_before_it_tries_again():
    body = request('pick up the red cube', attempts=[
        attempt('pick', 'grasp_slipped', object='red_cube')])
    assert steps(body) == [('look', {}), PICK_RED]


def test_an_occupied_table_makes_it_place_elsewhere():
    body = request('put the red cube on the table', held='red_cube', attempts=[
        attempt('place_on', 'target_occupied', target='table')])
    assert [name for name, _ in steps(body)] == ['place_at']


def test_an_occupied_target_is_cleared_first():
    on_blue = thing('green_cube', 0.4, -0.1, 0.06)
    body = request('stack the red cube on the blue cube', *CUBES, on_blue, held='red_cube',
                   attempts=[attempt('place_on', 'target_occupied', target='blue_cube')])
    to_table = ('place_on', {'target': 'table'})
    assert steps(body) == [to_table, ('pick', {'object': 'green_cube'}), to_table, PICK_RED,
                           ('place_on', {'target': 'blue_cube'})]


@pytest.mark.parametrize('task', ['sing a song', 'pick up the purple cat'])
def test_it_gives_up_on_what_it_does_not_understand(task):
    assert answer(request(task))[0][0] == 'give_up'


def test_it_reads_what_is_done_and_what_failed():
    situation = read_request(request('t', completed=['a', 'b'], attempts=[attempt('x', 'y')]))
    assert situation.completed == ['a', 'b'] and situation.attempts[0]['skill'] == 'x'


def suggested(body, guided=False):
    body['tools'].append({'function': {'name': 'suggest_plan'}})
    if guided:
        body['messages'].append(_user('Optimization guidance: ...', '"mind the bowl"'))
    return [args['goals'] for name, args in answer(body) if name == 'suggest_plan']


TWO = 'put the red cube in the bowl then put the blue cube in the bowl'


def test_it_suggests_a_plan_in_words_with_the_first_plan():
    (red, blue), = suggested(request(TWO))
    assert red == {'text': 'Bring the red_cube and the bowl together', 'done_when': {
        'predicate': 'in', 'object': 'red_cube', 'target': 'bowl'}}
    assert blue['done_when']['object'] == 'blue_cube'


def test_it_does_not_suggest_again_what_it_is_shown():
    body = request(TWO)
    body['messages'][1]['content'].append({'type': 'text', 'text': '**SUGGESTED PLAN:**\n\n...'})
    assert suggested(body) == []


def test_guided_it_revises_what_is_not_done_yet():
    in_bowl = thing('red_cube', 0.5, -0.3, 0.03)
    (blue,), = suggested(request(TWO, in_bowl, CUBES[1]), guided=True)
    assert blue['done_when']['object'] == 'blue_cube'


def test_an_object_at_the_target_is_put_aside_first():
    body = request('place the red cube at (0.4, -0.1)', held='red_cube', attempts=[
        attempt('place_at', 'target_occupied', x=0.4, y=-0.1)])
    assert steps(body) == [
        ('place_on', {'target': 'table'}), ('pick', {'object': 'blue_cube'}),
        ('place_at', {'x': 0.4, 'y': 0.06}), PICK_RED, ('place_at', {'x': 0.4, 'y': -0.1})]


def test_what_a_pick_would_hit_is_moved_once_and_then_it_gives_up():
    hit = attempt('pick', 'in_collision', object='red_cube')
    hit['blockers'] = ['blue_cube']
    assert steps(request('pick up the red cube', attempts=[hit])) == [
        ('pick', {'object': 'blue_cube'}), ('place_on', {'target': 'table'}), PICK_RED]
    moved = request('pick up the red cube', attempts=[hit], completed=['Pick up the blue_cube'])
    assert answer(moved)[0][0] == 'give_up'
