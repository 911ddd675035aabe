# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""VLMPlanner against a scripted model: what it asks, and how it uses each answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.chat import (
    ChatReply,
    ImagePart,
    ModelError,
    ModelFailure,
    TextPart,
    ToolCall,
)
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanRequest, ReplyKind
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.skill import REPLAN_STEP, Reason
from replan_agent.plan.model import prompts
from replan_agent.plan.model.goals import BY_WORDS, MAY_MEAN
from replan_agent.plan.model.reply.draft import NOT_ALONE
from replan_agent.plan.model.vlm import PROSE, UNJUDGED, VLMPlanner
from replan_agent.plan.validation import PlanValidator

READER = build_reader()
CHECK = PlanValidator(WorkspaceConfig(), max_steps=20)
TASK = 'put the red cube in the bowl'
IN_BOWL = Goal(Predicate.IN, 'red_cube', 'bowl')
PICK = ToolCall('pick', {'object': 'red_cube', 'description': 'take it'})
PLACE = ToolCall('place_on', {'target': 'bowl'})


def set_goal(*goals: dict) -> ToolCall:
    return ToolCall('set_goal', {'goals': list(goals)})


NAMED = set_goal({'predicate': 'in', 'object': 'red_cube', 'target': 'bowl'})


def calls(*items: ToolCall) -> ChatReply:
    return ChatReply('', items)


@dataclass
class ScriptedModel:
    """Gives the replies in order and repeats the last one. Keeps its requests."""

    replies: list[ChatReply | ModelError]
    asked: list = field(default_factory=list)
    name: str = 'scripted'

    def complete(self, messages, tools, ctx):
        self.asked.append((messages, tools))
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        if isinstance(reply, ModelError):
            raise reply
        return reply

    def said_last(self) -> str:
        return ' '.join(part.text for part in self.asked[-1][0][-1].parts)


@pytest.fixture
def ask(make_scene, skills):
    """A planner's answer to the request, and the model that it asked."""

    def ask(*replies, task=TASK, snapshot=None, scene=None, **more):
        model = ScriptedModel(list(replies))
        request = PlanRequest(task, scene or make_scene(), skills, **more)
        return VLMPlanner(model, CHECK, READER, snapshot).plan(request, Context()), model

    return ask


def test_tool_calls_become_numbered_steps_and_a_goal(ask):
    reply, model = ask(calls(NAMED, PICK, PLACE))
    assert reply.kind is ReplyKind.STEPS and reply.goals == (IN_BOWL,) and not reply.warnings
    assert [(s.step_number, s.skill, dict(s.args)) for s in reply.steps] == [
        (1, 'pick', {'object': 'red_cube'}), (2, 'place_on', {'target': 'bowl'})]
    assert reply.steps[0].description == 'take it' and len(model.asked) == 1


def test_the_tools_are_the_skills_and_the_other_answers(ask, skills):
    _, model = ask(calls(NAMED, PICK, PLACE))
    tools = {tool.name: tool for tool in model.asked[0][1]}
    assert list(tools) == ['set_goal', 'suggest_plan', *(s.name for s in skills), REPLAN_STEP,
                           'done', 'give_up']
    assert tools['pick'].arguments['required'] == ['object']
    assert set(tools['pick'].arguments['properties']) == {
        'object', 'description', 'expected_change'}
    assert 'description' not in skills[0].arguments['properties']  # the skill's own is untouched


def test_a_plan_may_end_where_the_scene_cannot_be_foreseen(ask):
    reply, _ = ask(calls(PICK, PLACE, ToolCall(REPLAN_STEP, {'why': 'covered'})))
    assert reply.steps[-1].is_replan and reply.steps[-1].args == {}


def test_done_is_an_answer_and_so_is_giving_up(ask):
    done, _ = ask(calls(NAMED, ToolCall('done')))
    assert done.kind is ReplyKind.DONE and done.goals == (IN_BOWL,)
    gave_up, model = ask(calls(ToolCall('give_up', {'reason': 'the bowl\nis glued shut'})))
    assert gave_up.kind is ReplyKind.GIVE_UP and gave_up.detail.endswith('is glued shut')
    assert '\n' not in gave_up.detail
    assert len(model.asked) == 1


def test_done_at_the_end_of_a_plan_is_ignored(ask):
    reply, model = ask(calls(NAMED, PICK, PLACE, ToolCall('done')))
    assert [s.skill for s in reply.steps] == ['pick', 'place_on'] and len(model.asked) == 1


@pytest.mark.parametrize('mixed', [
    (ToolCall('done'), PICK), (PICK, ToolCall('give_up', {'reason': 'no'}))])
def test_an_answer_that_contradicts_itself_goes_back_once_and_then_fails(ask, mixed):
    reply, model = ask(calls(*mixed))
    assert reply.kind is ReplyKind.FAILED and len(model.asked) == 2
    assert NOT_ALONE in reply.detail and reply.detail in model.said_last()


def test_prose_gets_one_nudge(ask):
    reply, model = ask(ChatReply('I would pick it up.'), calls(PICK, PLACE))
    assert len(reply.steps) == 2 and len(model.asked) == 2
    *_, assistant, user = model.asked[1][0]
    assert (assistant.role, assistant.parts) == ('assistant', (TextPart('I would pick it up.'),))
    assert user.role == 'user'
    assert user.parts[0].text.startswith(f'{PROSE} {prompts.CALLS_ONLY}')


def test_only_prose_is_an_empty_plan_and_is_told(ask):
    reply, model = ask(ChatReply('Well, ...'))
    assert (reply.kind, reply.steps) == (ReplyKind.STEPS, ()) and len(model.asked) == 2
    assert 'Well, ...' in reply.detail


def test_a_goal_that_was_named_before_the_nudge_still_counts(ask):
    named = set_goal({'predicate': 'at', 'object': 'red_cube', 'x': 0.4, 'y': 0.1})
    reply, _ = ask(calls(named), calls(PICK, PLACE), task='tidy up')
    assert reply.goals == (Goal(Predicate.AT, 'red_cube', position=(0.4, 0.1)),)


def test_a_refused_plan_goes_back_with_its_problems_and_may_be_corrected(ask):
    reply, model = ask(calls(ToolCall('fly')), calls(PICK, PLACE))
    assert [s.skill for s in reply.steps] == ['pick', 'place_on'] and len(model.asked) == 2
    assert 'unknown_skill' in model.said_last() and 'there are: pick' in model.said_last()


def test_a_plan_that_stays_wrong_is_returned_for_the_loop_to_refuse(ask):
    reply, model = ask(calls(ToolCall('pick', {'object': 'unicorn'})))
    assert reply.kind is ReplyKind.STEPS and reply.steps[0].args == {'object': 'unicorn'}
    assert len(model.asked) == 2


def test_one_plan_costs_three_calls_at_most(ask):
    _, model = ask(ChatReply('hm'), calls(ToolCall('fly')), ChatReply('hm'), calls(PICK))
    assert len(model.asked) == 3


@pytest.mark.parametrize('failure', [
    ModelFailure.AUTH, ModelFailure.RATE_LIMITED, ModelFailure.NOT_JSON, ModelFailure.TIMEOUT,
    ModelFailure.NOT_AS_RECORDED])
def test_an_endpoint_that_fails_ends_with_the_reason(ask, failure):
    reply, model = ask(ModelError(failure, 'the story'))
    assert reply.kind is ReplyKind.TRANSPORT and reply.detail == f'{failure.value}: the story'
    assert len(model.asked) == 1


@pytest.mark.parametrize('failure', [
    ModelFailure.TRUNCATED, ModelFailure.BAD_TOOL_ARGUMENTS, ModelFailure.EMPTY_CHOICES])
def test_a_model_that_answers_badly_gets_one_reminder(ask, failure):
    bad = ModelError(failure, 'the story')
    assert ask(bad, calls(PICK, PLACE))[0].kind is ReplyKind.STEPS
    reply, model = ask(bad)
    assert reply.kind is ReplyKind.FAILED and reply.reason is Reason.BAD_ARGUMENTS
    assert failure.value in reply.detail and len(model.asked) == 2


def test_a_refusal_is_giving_up(ask):
    reply, _ = ask(ModelError(ModelFailure.REFUSAL, 'no robots'))
    assert reply.kind is ReplyKind.GIVE_UP and reply.detail.endswith('no robots')


def test_the_words_of_the_task_win_over_another_goal_with_a_warning(ask):
    easy = set_goal({'predicate': 'on', 'object': 'red_cube', 'target': 'table'})
    reply, _ = ask(calls(easy, PICK, PLACE))
    assert reply.goals == (IN_BOWL,)
    assert 'on(red_cube, table)' in reply.warnings[0] and 'in(red_cube, bowl)' in reply.warnings[0]


@pytest.mark.parametrize('predicate', ['in', 'on', 'stacked'])
def test_goals_that_are_judged_alike_do_not_contradict(ask, predicate):
    same = set_goal({'predicate': predicate, 'object': 'red_cube', 'target': 'bowl'})
    reply, _ = ask(calls(same, PICK, PLACE))
    assert reply.goals == (IN_BOWL,) and not reply.warnings


def test_if_the_grammar_does_not_understand_the_models_goal_is_judged(ask):
    named = set_goal({'predicate': 'holding', 'object': 'red_cube'}, {'predicate': 'home'})
    reply, model = ask(calls(named, PICK), task='show me something red')
    assert reply.goals == (Goal(Predicate.HOLDING, 'red_cube'), Goal(Predicate.HOME))
    assert len(model.asked) == 1


def test_a_goal_is_asked_for_once_and_its_absence_is_a_warning(ask):
    reply, model = ask(calls(PICK), task='show me something red')
    assert reply.kind is ReplyKind.STEPS and reply.goals == () and len(model.asked) == 2
    assert reply.warnings == (UNJUDGED,) and not reply.goals_certain


@pytest.mark.parametrize('goal', [
    {'predicate': 'in', 'object': 'red_cube', 'target': 'unicorn'},
    {'predicate': 'in', 'object': 'bowl', 'target': 'bowl'},
    {'predicate': 'in', 'object': 'red_cube'}, {'predicate': 'done'}, {'predicate': ['in']},
    {'predicate': 'at', 'object': 'red_cube', 'x': 'NaN', 'y': 0},
    {'predicate': 'at', 'object': 'red_cube', 'x': 10 ** 400, 'y': 0}, 'holding', None])
def test_a_goal_that_cannot_be_judged_is_refused(ask, goal):
    reply, model = ask(calls(set_goal(goal), PICK), task='show me something red')
    assert reply.kind is ReplyKind.FAILED and reply.reason is Reason.BAD_ARGUMENTS
    assert 'goal 1' in reply.detail and len(model.asked) == 2


def test_a_wrong_goal_does_not_matter_if_the_words_are_clear(ask):
    reply, model = ask(calls(set_goal('nonsense'), PICK, PLACE))
    assert reply.goals == (IN_BOWL,) and len(model.asked) == 1


@pytest.mark.parametrize('again', [(), (PICK,)])  # the second reply is worse than the first
def test_wrong_fields_of_set_goal_are_told_back_by_name_and_a_good_plan_stays(ask, again):
    wrong = ToolCall('set_goal', {'predicates': ['in(red_cube, bowl)']})
    reply, model = ask(calls(wrong, PICK, PLACE), calls(*again))
    told = ' '.join(part.text for part in model.asked[1][0][-1].parts)
    assert '`goals`' in told and '`predicates`' in told
    assert [step.skill for step in reply.steps] == ['pick', 'place_on']
    assert reply.goals == (IN_BOWL,)


def test_wrong_fields_of_a_goal_are_named(ask):
    goal = {'relation': 'in', 'item': 'red_cube'}
    reply, _ = ask(calls(set_goal(goal), PICK), task='show me something red')
    assert 'needs `predicate`' in reply.detail and '`relation`, `item`' in reply.detail


def test_a_goal_named_with_a_later_plan_is_returned_for_the_loop_to_judge(ask):
    other = set_goal({'predicate': 'home'})
    reply, model = ask(calls(other, PICK, PLACE), goals=(IN_BOWL,))
    assert reply.goals == (Goal(Predicate.HOME),) and not reply.warnings
    told = json.loads(model.asked[0][0][1].parts[0].text)
    assert Goal.from_dict(told['goals_in_force'][0]) == IN_BOWL


def test_a_goal_that_was_only_named_is_corrected_when_the_words_become_clear(ask):
    home = (Goal(Predicate.HOME),)
    reply, _ = ask(calls(PICK, PLACE), goals=home, goals_certain=False)
    assert reply.goals == (IN_BOWL,) and reply.goals_certain


def test_the_picture_is_sent(ask):
    _, model = ask(calls(PICK, PLACE), snapshot=lambda scene, ctx: b'\x89PNG...')
    assert model.asked[0][0][1].parts[1] == ImagePart(b'\x89PNG...', 'image/png')


def test_without_a_picture_it_plans_from_the_objects_and_says_so(ask):
    def dark(scene, ctx):
        raise PerceptionError('too dark')

    reply, model = ask(calls(PICK, PLACE), snapshot=dark)
    assert len(reply.steps) == 2 and 'too dark' in reply.warnings[0]
    assert len(model.asked[0][0][1].parts) == 1


def test_a_cancelled_task_asks_no_model(make_scene, skills):
    token = CancelToken()
    token.cancel()
    model = ScriptedModel([calls(PICK)])
    with pytest.raises(Cancelled):
        VLMPlanner(model, CHECK, READER).plan(
            PlanRequest(TASK, make_scene(), skills), Context(token))
    assert not model.asked


LEFT = 'move the red cube to the left'
AT_LEFT = {'predicate': 'at', 'object': 'red_cube', 'x': 0.45, 'y': 0.35}


@pytest.mark.parametrize(('task', 'named'), [
    (LEFT, {'predicate': 'in', 'object': 'red_cube', 'target': 'bowl'}),
    (LEFT, {'predicate': 'at', 'object': 'red_cube', 'x': 0.45, 'y': 0.05}),
    (LEFT, {'predicate': 'at', 'object': 'blue_cube', 'x': 0.4, 'y': 0.1}),
    ('put a cube in the bowl', {'predicate': 'on', 'object': 'red_cube', 'target': 'table'}),
    ('put a cube in the bowl', {'predicate': 'in', 'object': 'bar', 'target': 'bowl'}),
    ('put the red cube to the left of the bowl',
     {'predicate': 'right_of', 'object': 'red_cube', 'target': 'bowl', 'viewpoint': 'arm'}),
    ('put the red cube to the left of the bowl',
     {'predicate': 'in', 'object': 'red_cube', 'target': 'bowl'}),
    ('put the red cube to the left of the bowl',
     {'predicate': 'at', 'object': 'red_cube', 'x': 0.5, 'y': -0.5}),
])
def test_a_goal_that_no_reading_of_the_words_allows_is_replaced(ask, make_scene, make_object,
                                                                task, named):
    things = [make_object('red_cube', 0.45, 0.20), make_object('blue_cube', 0.40, -0.10),
              make_object('bar', 0.3, 0.3, size=(0.12, 0.03, 0.03), colour='yellow')]
    reply, _ = ask(calls(set_goal(named), PICK, PLACE), task=task, scene=make_scene(*things))
    assert Goal.from_dict({**named, 'position': None}) not in reply.goals and reply.goals_certain
    assert BY_WORDS in reply.warnings[-1] and MAY_MEAN not in reply.warnings[-1]


@pytest.mark.parametrize(('task', 'named'), [
    ('put a cube in the bowl', {'predicate': 'in', 'object': 'green_cube', 'target': 'bowl'}),
    ('put the red cube to the left of the bowl',
     {'predicate': 'left_of', 'object': 'red_cube', 'target': 'bowl', 'viewpoint': 'person'}),
    ('put the red cube to the left of the bowl',
     {'predicate': 'at', 'object': 'red_cube', 'x': 0.5, 'y': -0.15}),
    ('tidy up', {'predicate': 'on', 'object': 'red_cube', 'target': 'table'}),
])
def test_a_goal_that_another_reading_allows_stays(ask, task, named):
    reply, _ = ask(calls(set_goal(named), PICK, PLACE), task=task)
    (goal,) = reply.goals
    assert (goal.predicate, goal.object) == (named['predicate'], named['object'])
    assert not reply.goals_certain


def test_a_models_goal_stays_where_the_words_allow_another_reading(ask):
    steps = (PICK, ToolCall('place_at', {'x': 0.45, 'y': 0.35}))
    reply, _ = ask(calls(set_goal(AT_LEFT), *steps), task=LEFT)
    assert reply.goals == (Goal(Predicate.AT, 'red_cube', position=(0.45, 0.35)),)
    assert not reply.goals_certain and MAY_MEAN in reply.warnings[0]


def test_the_goal_of_the_words_is_used_if_the_model_names_none(ask):
    reply, _ = ask(calls(PICK, ToolCall('place_at', {'x': 0.45, 'y': 0.30})), task=LEFT)
    assert reply.goals == (Goal(Predicate.AT, 'red_cube', position=(0.45, 0.3)),)
    assert reply.goals_certain


def test_the_only_reading_of_the_words_replaces_a_models_goal(ask):
    wrong = set_goal({'predicate': 'on', 'object': 'red_cube', 'target': 'table'})
    reply, _ = ask(calls(wrong, PICK, PLACE))
    assert reply.goals == (IN_BOWL,) and reply.goals_certain


def test_a_model_may_name_a_quantity_of_things(ask):
    everything = {'predicate': 'in', 'target': 'bowl',
                  'things': {'quantity': 'all', 'words': ['cube']}}
    reply, _ = ask(calls(set_goal(everything), PICK, PLACE), task='do the usual with the cubes')
    assert str(reply.goals[0]) == 'in(all cube, bowl)'


@pytest.mark.parametrize(('wrong', 'words'), [
    ({'predicate': 'in', 'target': 'bowl', 'things': {'quantity': 'most'}}, 'quantity'),
    ({'predicate': 'in', 'target': 'bowl', 'things': {'quantity': 'all', 'words': ['unicorn']}},
     'unicorn'),
    ({'predicate': 'between', 'object': 'red_cube', 'target': 'bowl'}, 'second'),
    ({'predicate': 'turned', 'object': 'red_cube'}, 'degrees'),
    ({'predicate': 'left_of', 'object': 'red_cube', 'target': 'bowl', 'viewpoint': 'moon'},
     'viewpoint'),
])
def test_a_goal_that_cannot_be_read_goes_back_to_the_model(ask, wrong, words):
    _, model = ask(calls(set_goal(wrong), PICK, PLACE), task='do the usual')
    assert len(model.asked) == 2 and words in model.said_last()
