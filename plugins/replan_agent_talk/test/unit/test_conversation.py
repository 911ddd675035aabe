# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A conversation with the real reader, search and loop; only the arm is imagined."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from hand_scenes import BIN, BOWL, ball, cube, scene
from replan_agent_talk.conversation import OpenQuestion
from replan_agent_talk.undoing import MOST_TASKS, Moves
from talking_arm import TalkingArm

from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.geometry.judging import judge


def arm(**more: object) -> TalkingArm:
    return TalkingArm(scene(
        cube('red_cube', 0.46, 0.10), cube('blue_cube', 0.56, -0.06),
        cube('green_cube', 0.40, -0.2), ball('green_ball', 0.62, 0.12), BOWL, BIN), **more)  # type: ignore[arg-type]


def is_in(it: TalkingArm, name: str, target: str = 'bowl') -> bool:
    return judge(Goal('in', name, target), it.scene) is True  # type: ignore[arg-type]


@pytest.mark.parametrize(('answer', 'meant'), [
    ('the left one', 'red_cube'), ('the blue one', 'blue_cube'), ('the second', 'blue_cube'),
    ('the last one', 'green_cube'), ('3', 'green_cube'), ('blue', 'blue_cube'),
    ('the rightmost', 'green_cube'), ('the red cube, please', 'red_cube'),
    ('any', 'red_cube'), ('it does not matter', 'red_cube'),
    ('no, put the ball in the bowl', 'green_ball'), ('the red one!', 'red_cube'),
])
def test_an_answer_settles_what_the_order_left_open(answer: str, meant: str) -> None:
    it = arm()
    question = it.say('put the cube in the bowl')
    assert question.asks and question.result is None and not it.tasks
    reply = it.say(answer)
    assert reply.result and is_in(it, meant)
    assert it.talk.open is None and sum(is_in(it, o.name) for o in it.scene.movable()) == 1


def test_several_may_be_meant() -> None:
    it = arm()
    it.say('put the cube in the bin')
    assert it.say('all of them').result
    assert all(is_in(it, f'{colour}_cube', 'bin') for colour in ('red', 'blue', 'green'))


@pytest.mark.parametrize('answer', ['the purple one', 'yes', 'the seventh one', 'mumble', '99',
                                    '0', 'the one in the bowl', 'ça va?', 'x' * 10_000])
def test_what_answers_nothing_leaves_the_question_open(answer: str) -> None:
    it = arm()
    it.say('put the cube in the bowl')
    reply = it.say(answer)
    assert reply.asks and not it.tasks
    assert it.say('the red one').result


@pytest.mark.parametrize('answer', ['the biggest', 'the red cube and the ball', 'the ball',
                                    'the red cube and the bowl', 'the red one and the purple one',
                                    'the second one next to the ball'])
def test_an_answer_chooses_among_what_is_asked_about_with_all_its_words(answer: str) -> None:
    it = TalkingArm(scene(cube('red_cube', 0.46, 0.10), cube('blue_cube', 0.56, -0.06),
                           ball('green_ball', 0.62, 0.12, side=0.06), BOWL, BIN))
    it.say('put the cube in the bowl')
    assert it.say(answer).asks and not it.tasks
    assert it.say('the red one').result and is_in(it, 'red_cube')


def test_the_answer_to_where_names_no_other_thing() -> None:
    it = arm()
    it.say('put the red cube')
    assert it.say('the ball in the bowl').asks and not it.tasks


@pytest.mark.parametrize(('order', 'words'), [
    ('put the red cube to the left of the bin', 'now to the right'),
    ('move the red cube 5 cm to the left', 'no, to the right')])
def test_a_direction_alone_is_no_place_after_one_that_says_more(order: str, words: str) -> None:
    it = arm()
    it.say(order)
    reply = it.say(words)
    assert reply.result is None and 'whole order' in reply.text and len(it.tasks) == 1


@pytest.mark.parametrize('text', [None, 5, b'hi'])
def test_only_text_can_be_said(text: object) -> None:
    with pytest.raises(TypeError, match=r'say\(\): text expected, not '):
        arm().say(text)  # type: ignore[arg-type]


def test_a_missing_place_can_be_said_later() -> None:
    it = arm()
    assert it.say('put the red cube').asks
    assert it.say('in the bowl').result and is_in(it, 'red_cube')


@pytest.mark.parametrize('words', ['the last one', '0', 'number 0', '1'])
def test_a_number_without_a_list_answers_nothing(words: str) -> None:
    it = arm()
    it.say('put the red cube')
    assert it.say(words).asks and not it.tasks


def test_another_order_drops_the_question() -> None:
    it = arm()
    it.say('put the cube in the bowl')
    assert it.say('put the red cube in the bin').result
    assert is_in(it, 'red_cube', 'bin') and it.talk.open is None
    assert 'nothing' in it.say('yes').text.lower() and len(it.tasks) == 1


@pytest.mark.parametrize('words', ['no', 'cancel', 'never mind', 'stop!', 'no, no'])
def test_a_no_drops_the_question_and_a_late_answer_does_nothing(words: str) -> None:
    it = arm()
    it.say('put the cube in the bowl')
    assert not it.say(words).asks and it.talk.open is None
    assert it.say('the red one').result is None and not it.tasks


@pytest.mark.parametrize('words', ['yes', 'no', 'ok', 'yes please', 'sure!'])
def test_without_a_question_yes_and_no_do_nothing(words: str) -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    reply = it.say(words)
    assert reply.result is None and len(it.tasks) == 1


@pytest.mark.parametrize(('words', 'name', 'place'), [
    ('no, the blue one', 'blue_cube', 'bowl'), ('no, in the bin', 'red_cube', 'bin'),
    ('no, the ball in the bin', 'green_ball', 'bin'), ('sorry, I meant the ball', 'green_ball',
                                                       'bowl'),
    ('no, put it in the bin', 'red_cube', 'bin'), ('now the green cube', 'green_cube', 'bowl'),
    ('and the blue one too', 'blue_cube', 'bowl'), ('now in the bin', 'red_cube', 'bin'),
    ('the same with the ball', 'green_ball', 'bowl'),
    ('no, no, the blue one', 'blue_cube', 'bowl'),
    ('the blue one in the bin', 'blue_cube', 'bin'), ('put it in the bin', 'red_cube', 'bin'),
])
def test_after_an_order_a_part_of_it_can_be_another(words: str, name: str, place: str) -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    assert it.say(words).result and is_in(it, name, place)


def test_it_in_a_place_is_what_the_order_named_there() -> None:
    it = arm()
    it.say('put the red cube next to the bowl')
    assert it.say('no, to the left of it').task == 'put the red cube to the left of the bowl'
    it.say('if the bin is empty, put the ball in it')
    assert it.say('now the blue cube').task == 'if the bin is empty, put the blue cube in it'


def test_the_other_one_is_none_of_those_before() -> None:
    it = TalkingArm(scene(cube('cube_1', 0.46, 0.1), cube('cube_2', 0.56, -0.06), BOWL, BIN))
    it.say('put the left cube in the bowl')
    assert it.say('and the other one too').result
    assert is_in(it, 'cube_1') and is_in(it, 'cube_2')


def test_one_green_thing_of_two_is_asked_about() -> None:
    it = arm()
    it.say('put the bowl next to the bin')
    assert it.say('now the green one').asks
    assert it.say('the ball').result


def test_it_may_be_several_and_is_asked_about() -> None:
    it = arm()
    it.say('put the red cube and the blue cube in the bowl')
    assert it.say('put it in the bin').asks
    assert it.say('the red one').result and is_in(it, 'red_cube', 'bin')
    assert is_in(it, 'blue_cube')


def test_them_are_the_things_of_the_order_before() -> None:
    it = arm()
    it.say('put the red cube and the blue cube in the bowl')
    assert it.say('put them in the bin').result
    assert is_in(it, 'red_cube', 'bin') and is_in(it, 'blue_cube', 'bin')


@pytest.mark.parametrize('words', ['no, the blue one', 'now the green one', 'in the bin',
                                   'and the other one too'])
def test_without_an_order_there_is_nothing_to_change(words: str) -> None:
    it = arm()
    assert it.say(words).result is None and not it.tasks


def _is_back(it: TalkingArm, name: str, x: float, y: float) -> bool:
    thing = it.scene.get(name)
    return thing is not None and math.dist(thing.position[:2], (x, y)) < 0.03


def test_undo_brings_back_what_moved_and_then_what_moved_before_it() -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    it.say('put the blue cube on the green cube')
    assert it.say('undo that').result and _is_back(it, 'blue_cube', 0.56, -0.06)
    assert is_in(it, 'red_cube')
    assert it.say('undo that').result and _is_back(it, 'red_cube', 0.46, 0.10)
    assert it.say('undo that').result is None


def test_undo_puts_a_thing_back_into_its_container() -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    it.say('put it in the bin')
    assert it.say('put it back').result and is_in(it, 'red_cube')


def test_one_of_several_can_be_put_back() -> None:
    it = arm()
    it.say('put the red cube and the blue cube in the bowl')
    assert it.say('put the blue cube back').result
    assert _is_back(it, 'blue_cube', 0.56, -0.06) and is_in(it, 'red_cube')
    assert it.say('undo that').result and _is_back(it, 'red_cube', 0.46, 0.10)


@pytest.mark.parametrize('words', ['put everything else back', 'put the other one back',
                                   'put the others back', 'undo everything', 'put two cubes back'])
def test_what_is_not_sure_to_be_meant_is_not_put_back(words: str) -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    it.say('put the blue cube in the bowl')
    assert it.say(words).result is None and len(it.tasks) == 2
    assert it.say('put the red cube back').result and is_in(it, 'blue_cube')


def test_a_tower_is_undone_from_the_top() -> None:
    it = arm()
    it.say('stack the red cube on the blue cube, then the green cube on the red cube')
    assert it.say('undo that').result
    assert _is_back(it, 'green_cube', 0.40, -0.2) and _is_back(it, 'red_cube', 0.46, 0.10)


def test_undo_after_a_failure_puts_down_what_it_still_holds() -> None:
    it = arm(breaks_at=2)
    assert not it.say('put the red cube in the bowl').result and it.scene.held == 'red_cube'
    it.breaks_at = 1000
    assert it.say('undo that').result and _is_back(it, 'red_cube', 0.46, 0.10)


def test_what_is_held_and_not_seen_is_not_put_back() -> None:
    it = arm()
    it.scene = replace(it.scene, held='sock')
    it.say('put the red cube in the bowl')
    it.scene = replace(it.scene, held=None)
    assert 'sock' not in it.say('undo that').text


def test_only_the_last_tasks_can_be_undone() -> None:
    it = arm()
    result = it.say('put the red cube in the bowl').result
    assert result is not None
    moves = Moves()
    for _ in range(MOST_TASKS + 1):
        moves.note(result, it.specs(), arm().scene, it.scene)
    assert len(moves.tasks) == MOST_TASKS


@pytest.mark.parametrize('last', ['go home', 'put the bin in the bowl',
                                  'the red cube should be in the bowl'])
def test_a_task_that_moved_nothing_is_the_one_that_is_not_undone(last: str) -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    it.say(last)
    assert it.say('undo that').result is None and is_in(it, 'red_cube')
    assert it.say('put the red cube back').result and _is_back(it, 'red_cube', 0.46, 0.10)


@pytest.mark.parametrize('words', ['no green ball should be in the bin',
                                   'no ball belongs next to the bin', 'no green cube, please',
                                   'no cubes', 'none of the cubes', 'no green cubes'])
def test_a_sentence_about_no_such_thing_is_no_correction(words: str) -> None:
    it = arm()
    it.say('put the red cube in the bin')
    before = it.scene
    assert 'I understood' not in it.say(words).text
    assert it.scene.objects == before.objects


def test_a_number_that_a_choice_has_is_that_count_and_not_its_place_in_the_list() -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    assert '2 more, or 2 in all' in it.say('put two cubes in the bowl').text
    assert 'Exactly 2 cubes' in it.say('2').text


@pytest.mark.parametrize(('order', 'words'), [
    ('put the ball behind the bowl', 'no, the bin'),
    ('put the red cube in the bin', 'no, the bowl'),
    ('put the green cube next to the ball', 'no, the red cube'),
])
def test_a_correction_that_may_be_the_thing_or_its_place_moves_nothing(order: str, words: str
                                                                      ) -> None:
    it = arm()
    assert it.say(order).result
    assert 'whole order' in it.say(words).text and len(it.tasks) == 1


@pytest.mark.parametrize('words', ['if you see a lemon, put the blue cube in the bin',
                                   'put the ball in the bin unless the bowl contains a cube',
                                   'if all cubes are in the bowl, put the ball in the bin'])
def test_an_order_that_its_condition_leaves_out_is_told_as_that(words: str) -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    assert re.fullmatch('Nothing is done about "put .* in the bin", because [^(]*[.]',
                        it.say(words).text)
    assert 'whole order' in it.say('now the green one').text and len(it.tasks) == 2


def test_an_order_that_its_condition_leaves_out_is_told_beside_one_that_is_done() -> None:
    told = arm().say('put the red cube in the bowl. If there is a lemon, put the ball in the bin')
    assert told.text == ('It is done. Nothing is done about "put the ball in the bin", because no '
                         'lemon is on the table.')


def test_nothing_to_undo_if_nothing_moved() -> None:
    it = arm()
    assert it.say('undo that').result is None
    it.say('put the violin in the bowl')
    assert it.say('undo that').result is None and it.say('put it back').result is None


def test_an_undo_that_fails_can_be_said_again() -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    it.breaks_at = it.done
    assert not it.say('undo that').result
    it.breaks_at = 1000
    assert it.say('undo that').result and _is_back(it, 'red_cube', 0.46, 0.10)


def test_a_failed_order_can_be_corrected() -> None:
    it = arm()
    assert not it.say('put the yellow cube in the bowl').result
    assert it.say('no, the blue one').result and is_in(it, 'blue_cube')


def test_words_that_are_not_understood_change_nothing_of_what_was_said() -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    reply = it.say('colourless green ideas sleep furiously')
    assert reply.result is not None
    assert reply.result.final_reason is FinalReason.UNRECOGNIZED_PROMPT
    assert 'red cube' in it.say('what did you do?').text
    assert 'unrecognized' in it.say('why did that fail?').text
    assert it.say('undo that').result and _is_back(it, 'red_cube', 0.46, 0.10)


@pytest.mark.parametrize('lost', ['put the violin in the bowl', 'colourless green ideas sleep'])
@pytest.mark.parametrize('words', ['in the bin', 'the blue one', 'no, in the bin',
                                   'put it in the bin', 'no, put it in the bin'])
def test_after_an_order_that_was_not_carried_out_nothing_older_is_meant(lost: str, words: str
                                                                        ) -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    done = it.done
    assert not it.say(lost).result
    assert not it.say(words).result and it.done == done


def test_a_correction_of_an_open_question_is_about_no_older_order() -> None:
    it = arm()
    it.say('put the ball in the bowl')
    assert it.say('put the cube in the bowl').asks
    assert it.say('no, in the bin').asks and len(it.tasks) == 1


class Asked:
    """Approves with one answer after the other."""

    name = 'asked'

    def __init__(self, *answers: Approval) -> None:
        self.answers = list(answers)

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        return self.answers.pop(0)

    def report_outcome(self, success: bool) -> None:
        """Not used."""


def test_a_yes_in_the_conversation_approves_nothing() -> None:
    it = arm(approver=Asked(Approval(False, 'somebody', 'denied')))
    reply = it.say('put the red cube in the bowl')
    assert reply.result is not None
    assert reply.result.final_reason is FinalReason.APPROVAL_DENIED
    assert it.say('yes').result is None and it.done == 0


@pytest.mark.parametrize('words', ['no, the blue one', 'I meant the blue one'])
def test_a_correction_before_the_approval_replaces_the_reading(words: str) -> None:
    it = arm(approver=Asked(Approval(False, 'somebody', 'changed', edit=words),
                            *[Approval(True, 'somebody')] * 2))
    assert it.say('put the red cube in the bowl').result
    assert is_in(it, 'blue_cube') and not is_in(it, 'red_cube')
    assert it.say('put it in the bin').result and is_in(it, 'blue_cube', 'bin')


def test_after_a_correction_a_person_is_asked_about_every_plan() -> None:
    asked: list[bool] = []

    class Always(Asked):
        def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
            asked.append(request.ask_person)
            return Approval(False, 'somebody', 'changed', edit='no, the blue one')

    it = arm(approver=Always())
    assert not it.say('put the red cube in the bowl').result
    assert asked == [False, True] and it.done == 0


@pytest.mark.parametrize(('words', 'asks'), [
    ('not now', False), ('please do not', False), ("don't", False), ('no way', False),
    ('quit', False), ('thanks', True), ('hello', True)])
def test_a_refusal_or_a_greeting_does_not_start_a_stopped_task_again(words: str, asks: bool
                                                                     ) -> None:
    it = arm(approver=Asked(Approval(False, 'somebody', 'denied')))
    result = it.say('put the red cube in the bowl').result
    it.talk.open = OpenQuestion('put the red cube in the bowl', 'what would help?', result)
    assert it.say(words).asks is asks and len(it.tasks) == 1


class Person:
    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.questions: list[str] = []

    def hint(self, question: str, ctx: Context) -> str | None:
        self.questions.append(question)
        return self.answers.pop(0) if self.answers else None


def test_a_running_task_asks_a_person_and_goes_on_with_the_answer() -> None:
    person = Person('the left one')
    it = arm(human=person)
    assert it.run('put the cube in the bowl')
    assert is_in(it, 'red_cube') and len(person.questions) == 1


def test_a_running_task_that_nobody_answers_says_what_is_open() -> None:
    person = Person()
    it = arm(human=person)
    result = it.run('put the cube in the bowl')
    assert not result and result.attempts[0].reason == 'ambiguous_object' and it.done == 0
    assert len(person.questions) == 1


def test_an_answer_that_fits_nothing_does_not_move_the_arm() -> None:
    it = arm(human=Person('the purple one', 'the purple one'))
    assert not it.run('put the cube in the bowl') and it.done == 0


def test_readings_that_differ_are_choices_and_one_can_be_chosen() -> None:
    it = arm()
    question = it.say('the bowl must contain the red cube and nothing else')
    assert question.asks and '(2)' in question.text and not it.tasks
    assert it.say('the second reading').result and is_in(it, 'red_cube')


# Questions that can be answered

QUESTIONS = (
    'put the cube in the bowl', 'pick up the red cube and the blue cube', 'swap the cubes',
    'put the second cube in the bowl', 'put the red cube on the cube',
    'turn two cubes by 45 degrees',
    'pick up the closest cube to the bowl', 'put the red cube next to the blue cube and the ball '
    'next to it', 'put the red cube in the bowl or the bin', 'put the others in the bowl',
    'put the last one in the bin', 'put the red cube in the bowl and in the bin')


@pytest.mark.parametrize('order', QUESTIONS)
def test_every_choice_is_accepted_as_it_is_printed(order: str) -> None:
    asked = arm()
    question = asked.say(order)
    listed = re.findall(r'\(\d\) (.*?)(?= \(\d\) |$)', question.text)
    named = [o.name for o in asked.scene.movable() if o.name in question.text.split('?', 1)[-1]]
    choices = [*listed, *(map(str, range(1, len(listed) + 1))), *([] if listed else named)]
    assert question.asks
    for choice in choices:
        it = arm()
        it.talk.open = asked.talk.open
        reply = it.say(choice)
        assert it.tasks or reply.asks and reply.text != question.text, choice
        assert 'answers nothing' not in reply.text


@pytest.mark.parametrize('order', [
    'group the cubes without moving the red one',
    'if there is one cube, put the ball in the bowl'])
def test_what_no_answer_settles_is_not_left_open(order: str) -> None:
    it = arm()
    reply = it.say(order)
    assert not it.tasks and not reply.asks and it.talk.open is None
    assert reply.text.endswith('Say the whole order.')


@pytest.mark.parametrize(('order', 'answer', 'task'), [
    ('put the red cube in the bowl and in the bin', 'in the bin',
     'The red cube should be in the bin.'),
    ('put the red cube in the bowl and in the bin', 'The red cube should be in the bowl.',
     'The red cube should be in the bowl.'),
    ('put the second cube in the bowl', 'the second from the left',
     'put the blue cube in the bowl'),
    ('put the red cube or the ball in the bowl', 'the ball', 'put the green ball in the bowl')])
def test_an_answer_says_which_reading_is_meant(order: str, answer: str, task: str) -> None:
    it = arm()
    assert it.say(order).asks
    assert it.say(answer).task == task


def test_two_more_or_two_in_all_are_choices() -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    question = it.say('put two cubes in the bowl')
    assert '(1) Exactly 2 cubes should be in the bowl. (2) Exactly 3 cubes' in question.text
    assert it.say('Exactly 3 cubes should be in the bowl.').result and is_in(it, 'green_cube')


def test_two_are_chosen_where_two_are_meant() -> None:
    it = arm()
    assert '(2) swap the red cube and the green cube' in it.say('swap the cubes').text
    assert it.say('2').task == 'swap the red cube and the green cube'


# What was done, and what was not

@pytest.mark.parametrize('order', [
    'if the red cube is in the bin, put the blue cube in the bowl',
    'if the red cube is in the bin, put it in the bowl',
    'if there is a purple cube, put the red cube in the bowl'])
def test_what_a_condition_left_out_is_nothing_to_go_on_with(order: str) -> None:
    it = arm()
    assert it.say(order).result
    for words in ('now in the bowl', 'put it in the bowl'):
        it.say(words)
    assert it.tasks == [order]


def test_too_keeps_what_was_done() -> None:
    it = arm()
    it.say('put the red cube on the green cube')
    assert not it.say('and the blue one too').result  # there is room for one
    assert judge(Goal('on', 'red_cube', 'green_cube'), it.scene) is True  # type: ignore[arg-type]


def test_too_does_not_repeat_a_movement() -> None:
    it = arm()
    it.say('put the red cube 10 cm to the right')
    assert it.say('and the blue one too').task == 'put the blue cube 10 cm to the right'


@pytest.mark.parametrize('words', ['leave it', 'leave it alone', 'why is that', 'what now?',
                                   'do not touch it', 'where were you going'])
def test_a_stopped_task_goes_on_only_with_an_answer(words: str) -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    stopped = replace(it.talk.result, success=False,  # type: ignore[type-var]
                      final_reason=FinalReason.HUMAN_REQUIRED, final_detail='how?')
    it.talk.open = OpenQuestion('put the red cube in the bowl', 'how?', stopped)
    it.tasks.clear()
    it.say(words)
    assert not it.tasks


def by_hand(it: TalkingArm, name: str) -> None:
    """A person puts the thing back to where it stood at first."""
    first = {o.name: o for o in arm().scene.objects}
    it.scene = replace(it.scene, objects=tuple(
        first[name] if o.name == name else o for o in it.scene.objects))


def test_what_a_person_put_back_is_the_last_task_still() -> None:
    it = arm()
    it.say('put the blue cube in the bin')
    it.say('put the red cube in the bowl')
    by_hand(it, 'red_cube')
    assert it.say('undo that').result is None and is_in(it, 'blue_cube', 'bin')
    assert it.say('put the blue cube back').result and _is_back(it, 'blue_cube', 0.56, -0.06)


def test_a_task_of_which_a_person_put_back_a_part_is_undone_once() -> None:
    it = arm()
    it.say('put the ball in the bin')
    it.say('put the red cube and the blue cube in the bowl')
    by_hand(it, 'red_cube')
    assert it.say('undo that').task == 'put the blue cube at (0.560, -0.060)'
    assert it.say('undo that').task == 'put the green ball at (0.620, 0.120)'


def test_to_put_one_thing_back_passes_over_no_task() -> None:
    it = arm()
    for words in ('put the red cube in the bowl', 'put the blue cube in the bin', 'go home',
                  'put the red cube back'):
        assert it.say(words).result
    assert it.say('undo that').result is None and is_in(it, 'blue_cube', 'bin')


def test_tasks_that_moved_nothing_take_no_room_of_those_that_did() -> None:
    it = arm()
    it.say('put the red cube in the bowl')
    for _ in range(3):
        it.say('go home')
    assert len(it.talk._moves.tasks) == 2


def test_a_task_that_was_not_said_can_be_put_back_and_gone_on_with() -> None:
    it = arm()
    before = it.scene
    it.talk.note('put the red cube in the bowl', it.run('put the red cube in the bowl'), before,
                 it.scene)
    assert it.say('now the green cube').result and is_in(it, 'green_cube')
    assert it.say('put the red cube back').result and _is_back(it, 'red_cube', 0.46, 0.10)


def test_a_task_that_is_said_and_noted_as_a_run_too_keeps_nobody_waiting() -> None:
    it = arm()

    def run(task: str, resume: object) -> TaskResult:
        before, result = it.scene, it.run(task)
        it.talk.note(task, result, before, it.scene)
        return result

    assert it.talk.say('put the red cube in the bowl', run).result
    assert it.say('put it back').result and _is_back(it, 'red_cube', 0.46, 0.10)
