# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suite of explanations: what a sentence claims is checked, and an advice is carried out."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from replan_agent_bench.outcome import CRASHED
from replan_agent_bench.suites.why_episode import (
    TRUTH,
    Advice,
    Ran,
    WhyOutcome,
    facts_of,
    told_causes,
)
from replan_agent_bench.suites.why_suite import confusion, counted, flaws, notes, why_numbers
from replan_agent_bench.worlds.advice import carried_out, sound, ways
from replan_agent_bench.worlds.causes_said import objection
from replan_agent_bench.worlds.claims import check
from replan_agent_bench.worlds.facts import Facts, widths_of
from replan_agent_bench.worlds.judges import centres
from replan_agent_bench.worlds.lasting import Lasts
from replan_agent_bench.worlds.physics_log import ArmTouch, Happened, PhysicsLog, Told
from replan_agent_bench.worlds.why_kinds import KINDS, WhyCase

from replan_agent.arms.franka import PANDA
from replan_agent.domain.event import ReflectionMade
from replan_agent.domain.failure import Attempt
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import Reflection
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.task_result import FinalReason
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec


def thing(name, x, y, size=(0.04, 0.05, 0.06), **more):
    return ObjectSpec(name, Shape.BOX, size, Colour.named('red'), (x, y, 0.03), **more)


THINGS = (thing('red_box', 0.5, 0.0, mass=0.3), thing('blue_box', 0.5, 0.07),
          thing('grey_box', 0.5, 0.4), thing('glass', 0.4, 0.0, unseen=True))


class FakeLog:
    """A log in which red_box slid 60 mm, the fingers closed to 40 mm, and the arm hit glass."""

    def __init__(self):
        self.world = SimpleNamespace(
            arm=PANDA, placed=[SimpleNamespace(spec=o) for o in THINGS])
        self.names = {o.name: {o.name} for o in THINGS} | {'table': {'table'},
                                                           'red_thing': {'red_box'}}
        self.happened = [Happened(1.0, 'another', 'red_box'), Happened(0.5, 'fault', 'camera')]
        self.touches = [ArmTouch(1.0, 'hand', 'glass', 20.0, (0.4, 0.0, 0.1))]
        self.forces = {20.0, 40.0}
        self.times, self.last_look = [0.0, 1.0, 40.0], 9.0

    def meanings(self, name, since, until):
        return self.names.get(name, set())

    def during(self, since, until):
        return [np.zeros(1), np.ones(1)]

    def position(self, name, state):
        x, y, z = next(o.position for o in THINGS if o.name == name)
        return (x - 0.06 * (1 - float(state[0])) * (name == 'red_box'), y, z)

    def shifts(self, name, since, until):
        return np.array([0.06, 0.0]) if name == 'red_box' else np.zeros(2)

    def widths(self, since, until):
        return np.array([0.08, 0.06, 0.04])

    def gap(self, one, other, until):
        return 0.02 if 'blue_box' in (one, other) else 0.35


def facts(why='', **args):
    attempt = Attempt(0, 'pick', {'object': 'red_box', **args}, 'unreachable', 'x')
    return Facts(FakeLog(), SimpleNamespace(why=why), Told(attempt, 0.0, 2.0), 'red_box')


TOO_LARGE = 'red_box does not fit in grey_box: as it lies it is'
TRUE = [
    'the target is 0.50 m from the base', 'red_box moved 6.0 cm after it was seen',
    'red_thing was moved 60 mm', 'red_box was taken away',
    'blue_box stands in the way of red_box, 2.0 cm from it',
    'red_box is 40 mm across at its narrowest', 'red_box was seen 0.50 m from the base',
    'red_box is about 48 mm across at its narrowest', 'red_box moved about 7.0 cm',
    'too wide for a gripper that opens 80 mm, 8 mm of it to pass its sides',
    'red_box pulls at the hand with 3.0 N, as 0.31 kg do',
    'red_box pulls at the hand with 3.0 N and does not rise by 1 cm',
    'the fingers closed to 40.0 mm',
    'the arm touched something that is not seen', 'red_box is now at (0.50, 0.00, 0.03) m',
    'no look succeeded for 30s (lost_after=30s)', 'blue_box, which did not move',
    f'{TOO_LARGE} 50 x 40 mm, and grey_box is 30 mm across inside',
    'whether it slipped, was moved or was taken is not known', 'it was held with 40 N',
    'the table stands', 'if it is not smaller than 18 mm and not lower than 9 mm',
    'it does not rise by 1 cm',
    'the fingers still move to and fro after 3 s (width 40.0 mm)']
UNTRUE = [
    (f'{TOO_LARGE} 90 x 40 mm, and grey_box is 38 x 45 mm inside', 'truly 50 mm'),
    (f'{TOO_LARGE} 50 x 40 mm, and grey_box is 90 mm across inside', 'truly 40 mm'),
    ('the target is 0.70 m from the base', '500 mm'), ('red_box moved 2.5 cm', 'truly'),
    ('blue_box was moved 60 mm', '0 mm'), ('red_box was seen 0.70 m away', '500 mm'),
    ('9 mm of it to pass its sides', '8 mm'),
    ('red_box is about 60 mm across at its narrowest', '40 mm'), ('blue_box moved about 9 cm', ''),
    ('blue_box was taken away', 'nobody touched blue_box'),
    ('another agent did', ''), ('grey_box stands in the way of red_box', '350 mm away'),
    ('blue_box stands in the way of red_box, 0.0 cm from it', '20 mm'),
    ('red_box is 50 mm across at its narrowest', '40 mm'),
    ('too wide for a gripper that opens 60 mm', '80 mm'),
    ('red_box pulls at the hand with 27.1 N, as 2.77 kg do', '0.30 kg'),
    ('red_box pulls at the hand with 27.1 N and does not rise', '0.30 kg'),
    ('red_box pulls at the hand with 3.0 N, as 0.20 kg do', '0.31 kg'),
    ('the fingers closed to 12.0 mm', 'truly'), ('0.00 m more than the arm reaches', 'reaches'),
    ('the fingers stop at 40 mm and stay there without it', 'sound'),
    ('the controller aborted the motion', 'sound'),
    ('red_box is now at (0.20, 0.00, 0.03) m', 'from there'),
    ('green_ball fell', 'no such thing'), ('blue_box came close', 'did not move'),
    ('red_box, which did not move', '60 mm'), ('red_box was held with 70 N', 'never'),
    ('70 N do not hold red_box: it slid through the fingers', 'did not touch it'),
    ('if it is not smaller than 18 mm and not lower than 40 mm', 'truly 9 mm'),
    ('no look succeeded for 60s (lost_after=30s)', 's')]


@pytest.mark.parametrize('text', TRUE)
def test_a_true_sentence_has_no_objection_and_no_number_is_left_unchecked(text):
    found = check(text, facts())
    assert not found.untrue and not found.unchecked


@pytest.mark.parametrize(('text', 'truth'), UNTRUE)
def test_an_untrue_sentence_is_found_and_the_truth_is_told(text, truth):
    known = facts()
    if text.startswith('another'):
        known.log.happened.clear()
    found = check(text, known)
    assert found.untrue and truth in found.untrue[0]


def test_what_rose_is_not_told_as_stuck():
    known = facts()
    known.log.position = lambda name, state: (0.5, 0.0, 0.03 + 0.1 * float(state[0]))
    assert 'it rose' in check('red_box does not rise by 1 cm', known).untrue[0]


def test_a_number_of_a_new_kind_of_sentence_is_listed():
    assert check('it glows with 40 mm', facts()).unchecked == ('it glows with 40 mm',)
    assert not check('step 2 of 3', facts()).unchecked


def case(**more):
    return WhyCase(THINGS, 'pick up the red box', lambda truth: '', frozenset(), **more)


@pytest.mark.parametrize(('text', 'changed'), [
    ('any point within 0.40 m of the base', lambda c: c.target.position == (0.4, 0.0, None)),
    ('blue_box and grey_box out of the way',
     lambda c: [o.name for o in c.objects] == ['red_box', 'glass']),
    ('red_thing brought back, or another one',
     lambda c: [t.part for t in c.lasting] == ['camera']),
    ('check the camera', lambda c: [t.part for t in c.lasting] == ['red_box']),
    ('something is there that is not seen', lambda c: all(not o.unseen for o in c.objects)),
    ('something lighter', lambda c: c.target.mass == pytest.approx(0.1)),
    ('something lighter and less slippery', lambda c: c.target.friction == 1.0),
    ('rougher fingers', lambda c: c.target.friction == 1.0),
    ('something narrower than 50 mm', lambda c: min(c.target.size) == pytest.approx(0.03))])
def test_an_advice_is_carried_out_on_what_it_names(text, changed):
    before = case(lasting=(Lasts('red_box'), Lasts('camera')))
    assert changed(carried_out(before, text, facts('more than the 0.2 kg')))


def test_of_two_advices_each_is_carried_out_alone():
    before = case(lasting=(Lasts('red_box'), Lasts('camera')))
    alone, lighter = ways(before, 'red_box left alone while the arm works, or something lighter '
                          'and less slippery', facts())
    assert len(alone.lasting) == 1 and alone.target == before.target
    assert lighter.lasting == before.lasting and lighter.target.friction == 1.0


def test_a_thing_that_is_put_where_the_camera_sees_it_stands_in_no_other():
    blue, *others = THINGS[1:]
    crowded = replace(case(), objects=(THINGS[0], replace(blue, position=(0.46, 0.0, None)),
                                       *others))
    put = carried_out(crowded, 'the object where the camera sees it', facts()).target.position
    assert all(math.dist(put[:2], o.position[:2]) > 0.09 for o in crowded.objects[1:])


def test_a_box_in_the_place_of_a_ball_is_named_in_the_task_as_what_it_is():
    ball = replace(THINGS[1], name='blue_ball', shape=Shape.SPHERE)
    tower = replace(case(), objects=(THINGS[0], ball), task='stack the red box on the blue ball')
    flat = carried_out(tower, 'something flat and level below it', facts())
    assert flat.task == 'stack the red box on the blue box'
    assert flat.objects[1].name == flat.judge.lower == 'blue_box'
    assert flat.objects[1].size[2] < 0.8 * flat.objects[1].size[0]  # no cube


def test_a_lump_means_all_that_is_seen_as_nothing_else():
    seen = [SceneObject(name, Shape.BOX, size, Pose((0.5, 0.0, 0.02)), colour=name.split('_')[0])
            for name, size in (('red_cube', (0.04,) * 3), ('grey_thing', (0.1, 0.1, 0.04)))]
    true = [replace(seen[0]), *(replace(seen[1], name=f'{colour}_wall', colour=colour, size=(
        0.01, 0.04, 0.04), pose=Pose((x, 0.0, 0.02))) for colour, x in (
            ('grey', 0.47), ('white', 0.53)))]
    log = object.__new__(PhysicsLog)
    log.world = SimpleNamespace(time=0.0, visible_objects=lambda: true)
    log.names, log.shown, log.looks = {}, set(), []
    log.seen(Scene(1, 0.0, tuple(seen), perception='camera'))
    assert log.names == {'red_cube': {'red_cube'}, 'grey_thing': {'grey_wall', 'white_wall'}}


def test_a_name_means_what_the_looks_of_the_attempt_show():
    log = object.__new__(PhysicsLog)
    log.looks = [(-1.0, {'cube': {'cube'}}), (1.0, {'grey_thing': {'wall'}}),
                 (3.0, {'grey_thing': {'box'}}), (5.0, {'blue_thing': {'ball'}})]
    assert log.meanings('grey_thing', 2.0, 4.0) == {'box'}
    assert log.meanings('grey_thing', 4.0, 6.0) == {'box'}  # as it was seen last
    assert log.meanings('grey_thing', 0.0, 4.0) == {'wall', 'box'}
    assert log.meanings('cube', 4.0, 6.0) == {'cube'} and not log.meanings('ball', 0.0, 9.0)


def test_a_reflection_is_about_the_attempt_that_it_tells_again():
    log = object.__new__(PhysicsLog)
    log.told = [Told(Attempt(n, 'pick', {}, 'x', 'y'), n, n + 1.0, ['it is heavy'] * (not n))
                for n in range(2)]
    for said in ('it is heavy', 'it fell'):
        log.record(ReflectionMade(1, Reflection('physical', said)))
    assert [told.said for told in log.told] == [['it is heavy'], ['it fell']]


@pytest.mark.parametrize(('shown', 'wrong'), [
    ({'red_thing': {'red_box'}}, 'not true'), ({'blue_box': {'blue_box'}}, '')])
def test_that_it_is_lost_from_view_is_true_if_the_last_look_shows_it_by_no_name(shown, wrong):
    known = facts()
    known.log.looks = [(0.0, {'red_box': {'red_box'}}), (1.5, shown), (9.0, {})]
    assert wrong in objection('lost_from_view', (), [('the camera sees no red_box', known)])
    assert bool(wrong) == bool(objection('lost_from_view', (), [('it is not seen', known)]))


def test_what_the_arm_touched_in_an_earlier_step_is_not_what_it_touches_now():
    told = replace(facts().told, began=1.5)
    later = replace(facts(), told=told)
    assert check('the arm touched something that is not seen', later).untrue
    assert not check('something that is not seen stands in the way', later).untrue


def ran(*told, why='', causes=()):
    log = FakeLog()
    log.told = [Told(Attempt(n, 'pick', {'object': 'red_box'}, 'x', said), n, n + 1.0, [said])
                for n, said in enumerate(told)]
    return Ran(case(), SimpleNamespace(why=why, causes=causes), SimpleNamespace(log=log), '', 0, 0)


def test_a_sentence_is_about_the_attempt_of_which_it_says_most():
    told = ran('it fell from the table', 'it fell')
    assert facts_of(told, 'it fell from the table').attempt.step_idx == 0
    assert facts_of(told, 'it fell again').attempt.step_idx == 1


@pytest.mark.parametrize(('cause', 'text', 'wrong'), [
    ('taken_away', 'red_box was taken away', ''),
    ('taken_away', 'red_box is red', 'does not say it'),
    ('some_new_cause', 'red_box was taken away', 'does not say it'),
    ('too_heavy', '70 N do not hold red_box', 'not true'),
    ('undone_by_another', 'another agent did, or it moved by itself', ''),
    ('boxed_in', 'no free way for the arm to red_box is found', 'not true')])
def test_a_listed_cause_is_in_the_words_and_true(cause, text, wrong):
    found = objection(cause, {'taken_away', 'some_new_cause'}, [(text, facts())])
    assert wrong in found and bool(wrong) == bool(found)


@pytest.mark.parametrize(('part', 'body', 'held', 'contact', 'blocked'), [
    ('hand', 'glass', '', True, False), ('leftfinger', 'glass', '', True, True),
    ('leftfinger', 'red_box', '', False, False),  # every pick does that
    ('hand', 'red_box', '', True, False),
    ('leftfinger', 'blue_box', 'blue_box', False, False),
    ('leftfinger', 'red_box', 'blue_box', True, True)])
def test_only_what_the_arm_touches_beside_its_object_is_a_contact_or_blocks_a_finger(
        part, body, held, contact, blocked):
    known = facts()
    known = replace(known, told=replace(known.told, attempt=replace(
        known.attempt, evidence={'held': held})))
    known.log.touches = [ArmTouch(1.0, part, body, 20.0, (0.4, 0.0, 0.1))]
    jammed = 'the gripper is blocked at 60.0 mm on its way to 68.2 mm'
    felt = 'unexpected contact: panda_joint2 feels 31.0 N·m (threshold 30)'
    assert not check(jammed, known).unchecked and not check(felt, known).unchecked
    for cause, text, true in (('unexpected_contact', 'the arm touched something', contact),
                              ('unexpected_contact', f'it was touched: {felt}', contact),
                              ('gripper_blocked', jammed, blocked)):
        assert ('not true' in objection(cause, (), [(text, known)])) != true
    assert bool(check(jammed, known).untrue) != blocked
    assert bool(check(felt, known).untrue) != contact


@pytest.mark.parametrize(('fingers', 'closed_on_air', 'stop_on_it'), [
    ((), True, False), (('leftfinger',), True, True),
    (('leftfinger', 'rightfinger'), False, True)])
def test_whether_fingers_closed_on_air_or_stop_on_the_object_is_in_the_log(
        fingers, closed_on_air, stop_on_it):
    known = facts()
    known.log.touches = [ArmTouch(1.0, finger, 'red_box', 20.0, (0.5, 0.0, 0.1))
                         for finger in fingers]
    air = objection('closed_on_air', (), [('the fingers closed to 0.0 mm on nothing', known)])
    stop = objection('approach_blocked', (), [
        ('no free way for the arm to it is found: the fingers stop on it', known)])
    assert (not air, not stop) == (closed_on_air, stop_on_it)


@pytest.mark.parametrize('touched', [False, True])
def test_that_it_slides_is_true_if_fingers_on_it_come_closer(touched):
    known = facts()
    known.log.touches = [ArmTouch(1.0, 'leftfinger', 'red_box', 20.0, (0.5, 0.0, 0.1))] * touched
    found = check('red_box slides in the fingers that raise it: it is slippery, stuck, held back, '
                  f'or heavier than the {PANDA.max_load_kg:g} kg that the arm carries', known)
    assert bool(found.untrue) is not touched and not found.unchecked


@pytest.mark.parametrize(('words', 'ever', 'untrue'), [
    ('the fingers were', False, True), ('it was felt with the fingers', True, False)])
def test_what_was_felt_may_have_been_felt_in_an_earlier_attempt(monkeypatch, words, ever, untrue):
    monkeypatch.setattr(Facts, 'tools', lambda self, ever=False: np.array(
        [(0.5, 0.1, 0.2)] if ever else [(0.3, 0.1, 0.2)]))
    found = check(f'{words} at (0.50, 0.10, 0.20) m', facts())
    assert bool(found.untrue) is untrue and not found.unchecked


@pytest.mark.parametrize(('x', 'true'), [(1.1, True), (0.5, False)])
def test_out_of_reach_is_true_of_what_lies_there_whatever_brought_it_there(monkeypatch, x, true):
    known = facts()
    monkeypatch.setattr(known.log, 'position', lambda name, state: (x, 0.0, 0.03))
    said = 'the target is 1.10 m from the base, 0.30 m more than the arm reaches'
    assert (objection('beyond_reach', (), [(said, known)]) == '') is true


@pytest.mark.parametrize(('lean', 'true'), [(-0.6, True), (0.0, False), (0.6, False)])
def test_a_hand_that_leans_towards_the_base_reaches_less_far(monkeypatch, lean, true):
    known = facts()
    target = Pose.from_rpy(1.0, 0.0, 0.03, roll=math.pi, pitch=-lean)
    tried = replace(known.attempt, ik=IKReport(
        False, 400, 0.3, 0.0, 0.001, 0.01, target, 'base', (0.0,) * 7))
    known = replace(known, told=replace(known.told, attempt=tried))
    monkeypatch.setattr(known.log, 'position', lambda name, state: (1.0, 0.0, 0.03))
    assert known.lean() == pytest.approx(lean)
    found = check('0.33 m more than the arm reaches with this grasp', known)
    assert (not found.untrue) is true


@pytest.mark.parametrize(('fingers', 'slid_m', 'true'), [
    (('leftfinger', 'rightfinger'), 0.02, True), (('leftfinger', 'rightfinger'), 0.0, False),
    (('leftfinger',), 0.02, False)])
def test_that_it_slipped_is_true_if_it_moved_in_fingers_that_both_touched_it(
        monkeypatch, fingers, slid_m, true):
    known = facts()
    known.log.touches = [ArmTouch(at, finger, 'red_box', 20.0, (0.5, 0.0, 0.1))
                         for finger in fingers for at in (0.2, 1.0)]
    rise = itertools.cycle((0.0, slid_m))
    monkeypatch.setattr(known.log, 'position', lambda name, state: (0.5, 0.0, next(rise)))
    monkeypatch.setattr(PANDA.kinematics.__class__, 'forward', lambda self, q: np.eye(4))
    assert (objection('slipped_in_lift', (), [('it slipped', known)]) == '') is true


def test_what_the_held_thing_touches_is_felt_and_what_another_touches_is_not():
    known, felt = facts(), 'unexpected contact: panda_joint2 feels 31.0 N·m (threshold 30)'
    for part, untrue in (('red_box', False), ('blue_box', True)):
        known.log.touches = [ArmTouch(1.0, part, 'glass', 20.0, (0.4, 0.0, 0.1), of_arm=False)]
        assert bool(check(felt, known).untrue) is untrue


def test_a_gripper_with_a_fault_is_blocked_though_it_touches_nothing():
    known, jammed = facts(), 'the gripper is blocked at 60.0 mm on its way to 68.2 mm'
    known.log.touches = []
    known.log.happened.append(Happened(0.5, 'fault', 'gripper'))
    assert not check(jammed, known).untrue
    assert not objection('gripper_blocked', (), [(jammed, known)])


def test_an_advice_that_nobody_can_carry_out_is_not_tried():
    assert carried_out(case(), 'better weather', facts()) is None


def outcome(**more):
    return WhyOutcome('beyond', 0, False, '', False, 'replan_exhausted', '', **more)


def test_counts_tell_untrue_sentences_unknown_causes_and_useless_advice_apart():
    numbers = why_numbers([
        outcome(right=True, told='beyond_reach', advice=Advice.HELPED),
        outcome(told='unknown', untrue=('x',), advice=Advice.USELESS),
        outcome(told='fell', advice=Advice.NOT_TRIED),
        WhyOutcome('beyond', 0, True, '', True, 'plan_complete', '', recovered=True),
        WhyOutcome('glass', 0, True, '', True, 'plan_complete', '', recovered=True, met=False)])
    assert (numbers.told, numbers.right, numbers.unknown, numbers.untrue) == (3, 1, 1, 1)
    assert (numbers.advised, numbers.helped, numbers.not_tried, numbers.recovered) == (2, 1, 1, 1)


def test_what_tells_no_cause_is_unknown_and_not_of_a_wrong_kind():
    undecided = ran(causes=('not_where_seen', 'not_decided', 'slipped_in_lift'))
    undecided.result.final_reason = FinalReason.REPLAN_EXHAUSTED
    assert told_causes(undecided) == ('unknown', 'slipped_in_lift')
    assert not flaws(outcome(told='unknown'))
    known = outcome(right=True, told='beyond_reach', column=TRUTH)
    found = why_numbers([known, replace(known, right=False, told='unknown')])
    assert (found.told, found.known, found.unknown, found.right) == (2, 1, 1, 1)


def test_a_false_success_counts_also_where_the_trouble_did_not_come_about():
    false = WhyOutcome('glass', 0, False, 'it stands', True, 'plan_complete', '', met=False)
    good = replace(false, success=True, objection='', recovered=True)
    assert [why_numbers([each]).idle for each in (false, good)] == [0, 1]
    assert flaws(false) == ['it stands'] and counted([false, good]) == [false]


def test_a_failure_without_its_trouble_is_in_no_count_of_what_was_told():
    idle = outcome(told='fell', met=False)
    assert why_numbers([idle]).told == 0 and not [*confusion([idle])]


def test_a_table_with_another_trouble_of_its_own_is_not_counted_and_told():
    other = outcome(met=False, doable=False)
    false = replace(other, claimed=True, objection='it stands')
    assert why_numbers([other, outcome(told='fell')]).told == 1
    assert notes([other, false, outcome(told='fell')])[-1].endswith(
        'in 0, and without it the task is not done either in 1')
    assert counted([false]) == [false] and flaws(false) == ['it stands']


@pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.name)
def test_a_case_without_its_trouble_has_nothing_that_lasts_and_nobody_to_blame(kind):
    with_it = kind.case(3)
    plain = sound(with_it)
    assert not plain.lasting and plain.confusion is None
    assert not {o.name for o in plain.objects[1:]}.intersection(with_it.blame)
    assert not plain.target.fixed and plain.target.mass < 1.0 and plain.target.friction > 0.1
    assert math.hypot(*plain.target.position[:2]) < 0.7


def test_a_flaw_shows_the_sentence():
    assert flaws(outcome(right=True, told='fell')) == []
    shown = flaws(outcome(right=True, untrue=('a',), why='it flew', would_help='wings'))
    assert shown == ['untrue: a', '[it flew | would help: wings]']


def test_a_table_whose_mesh_cannot_be_loaded_is_in_no_count():
    broken = replace(outcome(right=False), final_reason='not_loaded')
    assert not counted([broken]) and counted([outcome()])


def test_a_table_that_cannot_be_run_is_told_as_that():
    lost = replace(outcome(), final_reason=CRASHED, final_detail='ValueError: no table')
    assert flaws(lost) == ['ValueError: no table']


def test_what_a_kind_was_told_as_begins_with_the_most_frequent():
    seen = outcome(told='beyond_reach')
    found = why_numbers([replace(seen, told='fell'), seen, seen, replace(seen, told='too_wide')])
    assert found.told_as == 'beyond_reach 2, fell 1, ...'


def test_there_are_at_least_24_kinds_and_a_seed_decides_a_table():
    assert len(KINDS) >= 24
    for kind in KINDS:
        assert kind.case(3).objects == kind.case(3).objects and kind.case(3).causes


def block(*size):
    return Piece.around(np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * size)


def test_a_mesh_is_as_wide_as_it_is_from_any_side_and_as_thin_as_its_pieces():
    bar, knob = block(0.10, 0.02, 0.02), block(0.04, 0.08, 0.02)
    widths = widths_of((bar, knob))
    assert min(widths) == pytest.approx(0.02) and 0.10 < max(widths) < 0.115
    assert any(abs(width - 0.08) < 0.005 for width in widths)


def test_a_mesh_is_as_narrow_as_it_lies():
    truth = facts()
    book = replace(THINGS[0], shape=Shape.IRREGULAR, size=(0.03, 0.15, 0.20),
                   pieces=(block(0.03, 0.15, 0.20),))
    truth.log.world.placed[0].spec = book
    truth.log.rotation = lambda name, state: np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    said = 'red_box is {} mm across at its narrowest{}'
    for mm, how, true in ((150, ' as it lies', True), (30, ' as it lies', False),
                          (30, '', True), (150, '', False)):
        assert (not check(said.format(mm, how), truth).untrue) is true


def test_a_thing_of_any_shape_is_at_a_point_that_is_the_middle_of_a_rectangle_around_it():
    corners = np.array([(x, y, z) for x, y in ((0, 0), (0.12, 0), (0, 0.08)) for z in (0, 0.03)])
    wedge = SceneObject('red', Shape.IRREGULAR, (0.12, 0.08, 0.03), Pose((0.5, 0.2, 0.0)),
                        pieces=(Piece.around(corners),))
    found = centres(wedge)
    assert np.linalg.norm(found - (0.56, 0.24), axis=1).min() < 1e-6  # along its legs
    assert np.linalg.norm(found - (0.54, 0.2267), axis=1).min() < 0.001  # of its weight
    assert np.linalg.norm(found - (0.61, 0.27), axis=1).min() > 0.04  # at its long side
    box = replace(wedge, shape=Shape.BOX, pieces=())
    assert np.allclose(centres(box), box.position[:2])


def test_a_mesh_fits_what_it_is_to_go_into_so_that_it_is_the_only_trouble():
    cube, wide = block(0.05, 0.05, 0.05), block(0.20, 0.05, 0.05)
    things = [SimpleNamespace(pieces=lambda p=p: (p,), mass_of=lambda pieces: 0.1, friction=1.0)
              for p in (wide, cube)]
    model = next(kind for kind in KINDS if kind.name == 'model')
    meshes = [case.target for case in (model.case_with(things, seed) for seed in range(20))
              if case.target.pieces]
    assert meshes and all(mesh.size[0] < 0.06 for mesh in meshes)
