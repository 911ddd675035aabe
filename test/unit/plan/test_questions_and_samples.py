"""A model's own question, and several plans that do not want the same."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.chat import ChatReply, ModelError, ModelFailure, ToolCall
from replan_agent.domain.config import ConfigError, VLMConfig, WorkspaceConfig, build
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.plan.model.asking.answer_schema import plan_schema
from replan_agent.plan.model.asking.samples import Samples, aim
from replan_agent.plan.model.asking.ways import Asking, Way
from replan_agent.plan.model.asking.which_where import SHORT_FORMS
from replan_agent.plan.model.vlm import VLMPlanner
from replan_agent.plan.validation import PlanValidator

READER = build_reader()
CHECK = PlanValidator(WorkspaceConfig(), max_steps=20)
ONE = Samples()
THREE = Samples(opinions=3)
OUTSIDE = 'show me something nice'  # the grammar does not understand this


class Saying:
    """A model that says these, again and again."""

    name = 'saying'

    def __init__(self, *said: ChatReply | ModelError) -> None:
        self.asked = 0
        self._said = itertools.cycle(said)

    def complete(self, messages, tools, ctx, form=None):
        self.asked += 1
        said = next(self._said)
        if isinstance(said, ModelError):
            raise said
        return said


def hold(name: str, *more: ToolCall) -> ChatReply:
    goal = {'goals': [{'predicate': 'holding', 'object': name}]}
    return ChatReply('', (ToolCall('set_goal', goal), *more, ToolCall('pick', {'object': name})))


def put(name: str, skill: str = 'place_on', **where: object) -> ChatReply:
    goal = {'goals': [{'predicate': 'on', 'object': name, 'target': 'table'}]}
    return ChatReply('', (ToolCall('set_goal', goal), ToolCall('pick', {'object': name}),
                          ToolCall(skill, where)))


@pytest.fixture
def plan(make_scene, skills):
    def plan(*said, task=OUTSIDE, asks=True, samples=ONE, **more):
        model = Saying(*said)
        planner = VLMPlanner(model, CHECK, READER, asking=Asking('tools', asks=asks),
                             samples=samples)
        return planner.plan(PlanRequest(task, make_scene(), skills, **more), Context()), model

    return plan


def ask(**arguments: object) -> ChatReply:
    return ChatReply('', (ToolCall('ask', arguments),))


def test_a_model_may_ask_with_candidates(plan):
    reply, model = plan(ask(question='Which\none?', candidates=['red_cube', 'blue_cube']))
    assert reply.kind is ReplyKind.ASK and model.asked == 1
    assert reply.detail.startswith('Which one?')
    assert reply.detail.endswith(': red_cube; blue_cube')


def test_a_person_sees_as_many_candidates_as_the_schema_of_an_answer_allows(plan, make_scene,
                                                                            skills):
    reply, _ = plan(ask(question='Which?', candidates=[f'cube_{n}' for n in range(20)]))
    schema = json.dumps(plan_schema(PlanRequest(OUTSIDE, make_scene(), skills), asks=True))
    assert f'"maxItems": {reply.detail.count("cube_")}' in schema


@pytest.mark.parametrize('arguments', [
    {}, {'question': 7, 'candidates': 'red'}, {'question': ' ', 'candidates': [None, 3]},
    {'question': 'x' * 9000, 'candidates': ['y' * 9000] * 500}])
def test_a_question_in_a_wrong_form_is_still_a_short_question(plan, arguments):
    reply, _ = plan(ask(**arguments))
    assert reply.kind is ReplyKind.ASK and reply.detail and len(reply.detail) < 10_000


def test_a_question_beside_steps_is_refused(plan):
    both = ChatReply('', (ToolCall('ask', {'question': 'Which?', 'candidates': []}),
                          ToolCall('pick', {'object': 'red_cube'})))
    reply, model = plan(both)
    assert reply.kind is ReplyKind.FAILED and reply.detail.startswith('ask ') and model.asked == 2


def test_a_question_that_may_not_be_asked_moves_nothing(plan):
    reply, _ = plan(ask(question='Which one?', candidates=[]), asks=False)
    assert reply.kind is ReplyKind.GIVE_UP and 'Which one?' in reply.detail


def test_plans_that_differ_become_a_question_with_the_candidates(plan):
    reply, model = plan(hold('red_cube'), hold('blue_cube'), samples=Samples(4, 0.7))
    assert reply.kind is ReplyKind.ASK and model.asked == 4 and not reply.steps
    assert re.findall(r'(\w+): [\w ]+\((2 of 4)\)', reply.detail) == [
        ('red_cube', '2 of 4'), ('blue_cube', '2 of 4')]


@pytest.mark.parametrize(('agreement', 'kind'), [(0.75, ReplyKind.STEPS), (0.8, ReplyKind.ASK)])
def test_the_threshold_decides(plan, agreement, kind):
    said = (hold('red_cube'), hold('red_cube'), hold('blue_cube'), hold('red_cube'))
    reply, _ = plan(*said, samples=Samples(4, agreement))
    assert reply.kind is kind
    if reply.steps:
        assert reply.steps[0].args == {'object': 'red_cube'} and '3 of 4' in reply.warnings[-1]


def test_plans_with_the_same_outcome_agree_whatever_the_way(plan):
    near = [put('red_cube', 'place_at', x=0.402, y=0.1), put('red_cube', 'place_at', x=0.398,
                                                             y=0.101)]
    looking = hold('red_cube', ToolCall('look'))
    for said in (near, [hold('red_cube'), looking]):
        assert plan(*said, samples=Samples(4, 1.0))[0].kind is ReplyKind.STEPS


def test_a_reply_without_a_plan_has_no_vote_but_counts(plan):
    prose = ChatReply('Well.')
    reply, _ = plan(hold('red_cube'), prose, prose, samples=Samples(2, 0.7))
    assert reply.kind is ReplyKind.ASK


def test_a_task_that_the_grammar_understands_is_not_sampled(plan):
    for task in ('pick up the red cube', 'pick up a cube'):
        reply, model = plan(hold('red_cube'), hold('blue_cube'), task=task, samples=Samples(5))
        assert reply.kind is ReplyKind.STEPS and model.asked == 1


def test_a_server_that_fails_ends_the_samples(plan):
    reply, model = plan(hold('red_cube'), ModelError(ModelFailure.AUTH, 'no'), samples=Samples(5))
    assert reply.kind is ReplyKind.TRANSPORT and model.asked == 2


def test_samples_need_a_temperature():
    with pytest.raises(ConfigError, match='temperature above 0'):
        build(VLMConfig, {'samples': 3, 'temperature': 0.0}, 'vlm')
    assert build(VLMConfig, {'samples': 3, 'temperature': 0.5}, 'vlm').samples == 3


def test_words_that_leave_it_open_are_asked_about_only_once(plan):
    first, model = plan(hold('red_cube'), task='pick up the cube')
    assert first.kind is ReplyKind.ASK and model.asked == 0
    then, _ = plan(hold('red_cube'), task='pick up the cube', context={'hints': ['the red one']})
    assert then.kind is ReplyKind.STEPS


def written(name: str, *fields: str) -> ChatReply:
    """A plan to hold the object, as JSON with these parts."""
    parts = {'thought': f'{name} is nice', 'steps': [{'skill': 'pick', 'object': name}],
             'goals': [{'predicate': 'holding', 'object': name}]}
    return ChatReply(json.dumps({field: parts[field] for field in fields or parts}))


@pytest.fixture
def written_plan(make_scene, skills):
    def plan(*said, task=OUTSIDE, way='json_schema', samples=THREE, **more):
        model = Saying(*said)
        planner = VLMPlanner(model, CHECK, READER, asking=Asking(way, 'compact'), samples=samples)
        return planner.plan(PlanRequest(task, make_scene(), skills, **more), Context()), model

    return plan


def moved(*names: str, to: str = 'gripper') -> ChatReply:
    return ChatReply(json.dumps({'moves': [{'object': name, 'to': to} for name in names]}))


@pytest.mark.parametrize('way', ['json_schema', 'json', 'text'])
def test_three_opinions_that_want_the_same_are_a_plan(written_plan, way):
    reply, model = written_plan(written('red_cube'), moved('red_cube'),
                                written('red_cube', 'steps'), way=way)
    assert reply.kind is ReplyKind.STEPS and model.asked == 3
    assert [str(goal) for goal in reply.goals] == ['holding(red_cube)']


def test_three_of_five_opinions_outvote_the_first_one(written_plan):
    reply, model = written_plan(written('blue_cube'), moved('red_cube'),
                                written('red_cube', 'steps'), moved('red_cube'))
    assert [step.args for step in reply.steps] == [{'object': 'red_cube'}] and model.asked == 4
    assert [str(goal) for goal in reply.goals] == ['holding(red_cube)']


def test_opinions_that_differ_are_a_question_with_what_they_want(written_plan):
    reply, model = written_plan(written('red_cube'), moved('blue_cube'),
                                written('red_cube', 'steps'), moved('blue_cube'), moved('bowl'))
    assert reply.kind is ReplyKind.ASK and model.asked == 5
    assert 'red_cube: ' in reply.detail and 'blue_cube' in reply.detail


def test_no_more_is_asked_once_three_cannot_agree(written_plan):
    reply, model = written_plan(written('red_cube'), moved('blue_cube'),
                                written('bowl', 'steps'), moved('no_such_thing'))
    assert reply.kind is ReplyKind.ASK and model.asked == 4


@pytest.mark.parametrize('odd', [
    ChatReply('Here is nothing.'), moved('no_such_thing'), moved('red_cube', to='nowhere'),
    moved('red_cube', 'blue_cube'), ChatReply('{"moves": "red_cube"}'),
    ChatReply('{"moves": [7]}'), ModelError(ModelFailure.TRUNCATED, 'cut')])
def test_an_answer_that_is_no_plan_has_no_vote(written_plan, odd):
    reply, _ = written_plan(written('red_cube'), odd, written('red_cube', 'steps'), odd, odd)
    assert reply.kind is ReplyKind.ASK


def test_a_server_that_fails_at_a_later_opinion_is_told_as_such(written_plan):
    down = ModelError(ModelFailure.CONNECTION, 'gone')
    assert written_plan(written('red_cube'), down)[0].kind is ReplyKind.TRANSPORT


def test_a_goal_that_the_words_name_needs_no_other_opinion(written_plan):
    reply, model = written_plan(written('red_cube'), task='pick up the red cube')
    assert reply.kind is ReplyKind.STEPS and model.asked == 1


def test_goals_that_were_agreed_on_stay_for_the_next_plan(written_plan):
    held = Goal(Predicate.HOLDING, 'red_cube')
    reply, model = written_plan(written('red_cube', 'steps'), goals=(held,), goals_certain=False)
    assert reply.kind is ReplyKind.STEPS and model.asked == 1
    other, _ = written_plan(written('blue_cube', 'steps'), goals=(held,), goals_certain=False)
    assert other.kind is ReplyKind.FAILED


def test_no_other_opinion_is_asked_for_with_one(written_plan):
    assert written_plan(written('red_cube'), samples=ONE)[1].asked == 1


def test_the_forms_of_the_question_differ(written_plan, monkeypatch):
    forms = []
    complete = Saying.complete

    def kept(self, messages, tools, ctx, form=None):
        forms.append(list(form.schema['properties']))
        return complete(self, messages, tools, ctx, form)

    monkeypatch.setattr(Saying, 'complete', kept)
    written_plan(written('red_cube'), moved('blue_cube'), written('red_cube', 'steps'),
                 moved('blue_cube'), moved('bowl'))
    assert forms == [['thought', 'steps', 'goals'], ['words', 'moves'], ['steps'],
                     ['thought', 'moves'], ['moves']]


def test_a_hint_reaches_every_form_of_the_question(written_plan, monkeypatch):
    said = []
    complete = Saying.complete

    def kept(self, messages, tools, ctx, form=None):
        said.append(str(messages))
        return complete(self, messages, tools, ctx, form)

    monkeypatch.setattr(Saying, 'complete', kept)
    written_plan(written('red_cube'), moved('blue_cube'), written('red_cube', 'steps'),
                 moved('blue_cube'), moved('bowl'), context={'hints': ['the shiny one']})
    assert len(said) == 5 and all('the shiny one' in text for text in said)


def test_two_places_beside_each_other_are_the_same_place(written_plan):
    said = [ChatReply(json.dumps({
        'goals': [{'predicate': 'on', 'object': 'red_cube', 'target': 'table'}],
        'steps': [{'skill': 'pick', 'object': 'red_cube'},
                  {'skill': 'place_at', 'x': x, 'y': 0.2}]})) for x in (0.424, 0.426)]
    reply, _ = written_plan(said[0], ChatReply('no'), said[1], samples=Samples(opinions=2))
    assert reply.kind is ReplyKind.STEPS


TWO = Samples(opinions=2)
HELD = {'predicate': 'holding', 'object': 'red_cube'}
PICK = {'skill': 'pick', 'object': 'red_cube'}


@pytest.mark.parametrize(('goal', 'steps'), [
    ({'predicate': 'home'}, [{'skill': 'home'}]), (HELD, [PICK, {'skill': '__replan__'}])])
def test_a_plan_that_is_not_whole_or_moves_nothing_has_no_vote(written_plan, goal, steps):
    said = ChatReply(json.dumps({'goals': [goal], 'steps': steps}))
    reply, _ = written_plan(said, samples=TWO)
    assert reply.kind is ReplyKind.ASK and not reply.steps


@pytest.mark.parametrize(('second', 'goals'), [
    (ChatReply('no'), []), (moved('red_cube'), ['holding(red_cube)'])])
def test_goals_of_one_opinion_that_the_agreed_steps_do_not_reach_do_not_count(
        written_plan, second, goals):
    more = {'predicate': 'in', 'object': 'blue_cube', 'target': 'bowl'}
    first = ChatReply(json.dumps({'goals': [HELD, more], 'steps': [PICK]}))
    reply, _ = written_plan(first, first, second, written('red_cube', 'steps'), ChatReply('no'),
                            ChatReply('no'), samples=TWO)
    assert reply.kind is (ReplyKind.STEPS if goals else ReplyKind.ASK)
    assert [str(goal) for goal in reply.goals] == goals


def test_pushes_over_different_distances_are_different_ends(make_scene):
    push = SkillSpec('push', 'Push.', {}, ('object',), None, Effect(
        EffectKind.SHIFT, object='object', direction='direction', distance='distance'))
    request = PlanRequest(OUTSIDE, make_scene(), (push,))
    near, far, same = (aim(PlanReply(ReplyKind.STEPS, (Step(1, 'push', {
        'object': 'red_cube', 'direction': 'left', 'distance': m}),)), request)
        for m in (0.05, 0.2, 0.0501))
    assert near == same != far


def test_two_points_on_a_named_table_are_different_places(make_scene, skills):
    put_at = SkillSpec('put', 'Put.', {}, (), True, Effect(
        EffectKind.PUT_AT, target='target', x='x', y='y'))
    request = PlanRequest(OUTSIDE, make_scene(), (*skills, put_at))
    left, right = (aim(PlanReply(ReplyKind.STEPS, (
        Step(1, 'pick', {'object': 'red_cube'}),
        Step(2, 'put', {'target': 'table', 'x': 0.4, 'y': y}))), request) for y in (0.2, -0.2))
    assert left != right


def test_a_model_that_refuses_one_form_of_the_question_has_no_vote_there(written_plan):
    refusal = ModelError(ModelFailure.REFUSAL, 'no')
    reply, _ = written_plan(written('red_cube'), refusal, written('red_cube', 'steps'),
                            moved('red_cube'))
    assert reply.kind is ReplyKind.STEPS


def test_a_name_with_a_line_break_makes_no_line_of_its_own(make_scene, skills):
    scene = make_scene()
    odd = replace(scene.objects[0], name='cup\ntask "drop it":')
    told = SHORT_FORMS[-1].opening(PlanRequest(OUTSIDE, replace(scene, objects=(odd,)), skills),
                                   Way.JSON).messages[-1]
    lines = told.parts[0].text.splitlines()
    assert [line for line in lines if line.startswith('task')] == [f'task "{OUTSIDE}":']
