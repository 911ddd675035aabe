# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The search around a blocked step, with a foresight that knows only what the test says."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.local_planning import Decision
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import FailureCase, Fix, Remembered, Situation
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import FailedStage, Reason, SkillSpec, failed, find_spec, succeeded
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.room.free_place import FINGER_EDGE_M
from replan_agent.geometry.steps.after_step import put_down
from replan_agent.replan.local.local_planner import ForesightLocalPlanner, blocked_step
from replan_agent.replan.local.local_skills import LocalSkills
from replan_agent.replan.local.options import _asides
from replan_agent.replan.local.score import blocking

TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0, -0.02)), movable=False)
PICK = Step(1, 'pick', {'object': 'red'}, 'Pick up the red')
SPECS = standard_skills().specs()


def cube(name: str, x: float, y: float, z: float = 0.02) -> SceneObject:
    return SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((x, y, z)))


def scene(*things: SceneObject, n: int = 1, held: str | None = None) -> Scene:
    arm = ArmSnapshot((0.0,) * 7, Pose((0.3, 0, 0.5)), 0.08, at_home=True)
    return Scene(f's{n}', float(n), (TABLE, *things), 'fake', arm, held, hand=PANDA.hand)


def boxed(sides=(0, 1, 2, 3)) -> Scene:
    away = 0.05
    return scene(cube('red', 0.5, 0.0),
                 *(cube(f'n{k}', 0.5 + away * math.cos(k * math.pi / 2),
                        away * math.sin(k * math.pi / 2)) for k in sides))


class FakeForesight:
    """A pick needs two free opposite sides and 0.8 m; everything in `impossible` fails."""

    def __init__(self, *impossible: str, specs=SPECS) -> None:
        self.impossible = impossible
        self._specs = specs
        self.asked: list[Step] = []

    def specs(self):
        return self._specs

    def foresee(self, step, scene, ctx):
        self.asked.append(step)
        thing = scene.get(str(step.args.get('object', '')))
        wrong = step.skill in self.impossible or f'{step.skill} {step.args.get("object")}' in (
            self.impossible)
        if not wrong and step.skill == 'pick' and thing is not None and thing.name == 'red':
            wrong = [] not in blocking(thing, scene) or math.hypot(*thing.position[:2]) > 0.8
        if not wrong and step.skill == 'place_at' and 'x' in step.args:
            at = (step.args['x'], step.args['y'])
            least = 0.045 if step.args.get('snug') else 0.05
            wrong = any(math.dist(at, o.position[:2]) < least
                        for o in scene.without([scene.held, 'table']))
        return failed(Reason.IN_COLLISION, 'no') if wrong else succeeded()


def case(step: Step, before: Scene, detail: str = 'no grasp', stage=FailedStage.PLANNING,
         **evidence) -> FailureCase:
    attempt = Attempt(1, step.skill, dict(step.args), 'in_collision', detail, evidence=evidence,
                      failed_stage=stage)
    return FailureCase(attempt, before, step, skill=find_spec(SPECS, step.skill))


def begin(before: Scene, step: Step = PICK, foresight=None, remembered=(), **of_case):
    planner = ForesightLocalPlanner(foresight or FakeForesight())
    return planner.begin(step, case(step, before, **of_case), remembered, Context())


def remember(kind: str, weight: float) -> Remembered:
    return Remembered(1, Situation('pick'), Fix('', option=kind), 1, 0, weight)


def as_done(before: Scene, option, n: int) -> Scene:
    """The scene after the option's picks and places really happened."""
    after = before
    for pick, place in zip(option.steps, option.steps[1:]):
        if place.skill == 'place_at' and pick.skill == 'pick':
            after = put_down(after, pick.args['object'], at=(place.args['x'], place.args['y']))
    return replace(after, scene_id=f's{n}')


@pytest.mark.parametrize(('impossible', 'negated', 'skill'), [
    ((), False, 'place_on'), (('place_on',), False, 'place_at'), ((), True, 'place_at')])
def test_what_is_in_the_way_is_put_where_a_goal_wants_it_if_that_is_possible(
        impossible, negated, skill):
    tray = replace(cube('tray', 0.5, -0.35), size=(0.2, 0.2, 0.02))
    now = scene(*boxed((0, 1, 2)).objects[1:], tray)
    planner = ForesightLocalPlanner(FakeForesight('push', 'pull', *impossible))
    goals = tuple(Goal(Predicate.ON, f'n{k}', 'tray', negated=negated) for k in range(3))
    search = planner.begin(PICK, replace(case(PICK, now), goals=goals), (), Context())
    first = search.next_option(now, Context())
    assert first.kind == 'clear_obstacle' and first.steps[1].skill == skill
    assert (first.undo == ()) == (skill == 'place_on'), 'what is where it belongs stays there'


def test_two_opposite_neighbours_are_cleared_one_after_the_other():
    now, search = boxed(), begin(boxed())
    assert search.goal.startswith('red ')
    first = search.next_option(now, Context())
    assert first.kind == 'clear_obstacle' and [s.skill for s in first.steps] == ['pick',
                                                                                 'place_at']
    after = as_done(now, first, 2)
    node = search.judge('1.1', first, now, after, True, Context())
    assert node.decision is Decision.RETAIN and node.progress > 0
    second = search.next_option(after, Context())
    done = as_done(after, second, 3)
    node = search.judge('1.2', second, after, done, True, Context())
    assert node.decision is Decision.SUCCESS and node.score_after == 10
    pair = {first.steps[0].args['object'], second.steps[0].args['object']}
    assert pair in ({'n0', 'n2'}, {'n1', 'n3'})


def test_what_is_cleared_can_be_put_back_exactly_and_with_its_turn():
    option = begin(boxed()).next_option(boxed(), Context())
    thing = boxed().get(option.steps[0].args['object'])
    back = option.undo[-1].args
    assert (back['x'], back['y']) == pytest.approx(thing.position[:2], abs=1e-4)
    assert back['snug'] is True and back['yaw'] == pytest.approx(0, abs=0.1)


def test_an_option_whose_own_steps_are_impossible_is_not_proposed():
    foresight = FakeForesight('pick n0', 'pick n2', 'push', 'pull')
    option = begin(boxed(), foresight=foresight).next_option(boxed(), Context())
    assert option.steps[0].args['object'] in ('n1', 'n3')


def test_options_that_move_what_the_task_says_to_leave_are_not_even_imagined():
    foresight, kept = FakeForesight(), frozenset({'n0', 'n2'})
    stuck = replace(case(PICK, boxed()), left_alone=kept)
    search = ForesightLocalPlanner(foresight).begin(PICK, stuck, (), Context())
    assert search.next_option(boxed(), Context()).steps[0].args['object'] in ('n1', 'n3')
    assert not kept & {s.args.get('object') for s in foresight.asked}


def test_what_cannot_be_picked_out_of_the_way_is_pushed_and_that_cannot_be_undone():
    foresight = FakeForesight('pick n0', 'pick n1', 'pick n2', 'pick n3')
    option = begin(boxed(), foresight=foresight).next_option(boxed(), Context())
    assert option.kind == 'push_obstacle' and option.undo is None


def test_an_object_out_of_reach_is_pulled_closer():
    far = scene(cube('red', 0.84, 0.0))
    option = begin(far).next_option(far, Context())
    assert option.kind in ('pull_closer', 'push_object') and option.undo is None
    assert option.steps[0].args['object'] == 'red'


@pytest.mark.parametrize(('impossible', 'of_case'), [
    (('pick red',), {'narrowest_width': 0.02, 'stage': FailedStage.PRECONDITION}),
    ((), {'stage': FailedStage.EXECUTION})], ids=['shows no grasp', 'slips out'])
def test_what_cannot_be_grasped_as_it_lies_is_slid_and_seen_from_another_side(impossible, of_case):
    now = scene(cube('red', 0.5, 0.0))
    search = begin(now, foresight=FakeForesight(*impossible), **of_case)
    kinds, again = [], now
    for n in range(2, 20):
        option = search.next_option(again, Context())
        if option is None:
            break
        kinds.append(option.kind)
        search.judge(f'1.{n}', option, again, again, False, Context())
    assert 'pull_closer' in kinds and 'push_object' in kinds


def test_if_no_small_action_helps_there_is_no_search():
    far = scene(cube('red', 1.5, 0.0))
    assert begin(far) is None
    assert begin(boxed(), step=Step(1, 'home')) is None
    assert begin(boxed(), step=Step(1, 'pick', {'object': 'gone'})) is None


def test_what_memory_trusts_goes_first_and_what_it_distrusts_last():
    one = boxed((0, 1))
    assert begin(one).next_option(one, Context()).kind == 'clear_obstacle'
    trusted = begin(one, remembered=[remember('push_obstacle', 0.9)])
    assert trusted.next_option(one, Context()).kind == 'push_obstacle'
    distrusted = begin(one, remembered=[remember('clear_obstacle', 0.1)])
    assert distrusted.next_option(one, Context()).kind != 'clear_obstacle'


def test_an_option_without_effect_is_not_tried_again_in_the_same_state():
    now = boxed((0, 1))
    search = begin(now)
    names = []
    for k in range(60):
        option = search.next_option(now, Context())
        if option is None:
            break
        names.append(option.name)
        same = replace(now, scene_id=f'x{k}')
        node = search.judge(f'1.{k}', option, now, same, False, Context())
        now = same
    assert len(names) > 3 and len(set(names)) == len(names)
    assert node.decision is Decision.REVERT and option is None


def test_a_grasp_that_missed_is_tried_in_another_way_without_moving_anything():
    now = scene(cube('red', 0.5, 0.0))
    search = begin(now, stage=FailedStage.EXECUTION, grasp={'kind': 'top_down'})
    option = search.next_option(now, Context())
    assert not option.steps and option.changes and option.changes != {'grasp': 'top_down'}
    node = search.judge('1.1', option, now, now, True, Context())
    assert node.decision is Decision.SUCCESS


def test_an_occupied_target_is_freed_and_the_object_taken_again():
    now = scene(cube('red', 0.4, 0.3), cube('blue', 0.5, 0.0), held='red')
    place = Step(2, 'place_at', {'x': 0.5, 'y': 0.0})
    option = begin(now, step=place).next_option(now, Context())
    assert [(s.skill, s.args.get('object')) for s in option.steps] == [
        ('place_at', None), ('pick', 'blue'), ('place_at', None), ('pick', 'red')]
    assert [s.step_number for s in option.undo] == [1, 2, 3, 4]
    aside = (option.steps[2].args['x'], option.steps[2].args['y'])
    assert math.dist(aside, (0.5, 0.0)) > 0.1


def test_a_full_hand_is_emptied_first():
    search = begin(boxed())
    stuck = replace(boxed(), scene_id='s9', held='n0')
    assert search.next_option(stuck, Context()).kind == 'put_down'


def test_a_cancelled_search_ends_at_once():
    token = CancelToken()
    token.cancel('enough')
    with pytest.raises(Cancelled):
        ForesightLocalPlanner(FakeForesight()).begin(PICK, case(PICK, boxed()), (),
                                                     Context(token))


def test_an_option_without_its_skill_is_not_proposed():
    far = scene(cube('red', 0.82, 0.0))
    option = begin(far).next_option(far, Context())
    assert option.kind == 'pull_closer'
    others = tuple(s for s in SPECS if s.effect.kind is not EffectKind.BRING_CLOSER)
    option = begin(far, foresight=FakeForesight(specs=others)).next_option(far, Context())
    assert option.kind == 'push_object' and option.steps[0].args['direction'] == 'back'
    nothing = tuple(s for s in others if not s.effect.slides)
    assert begin(far, foresight=FakeForesight(specs=nothing)) is None


def test_options_use_the_available_skills_by_their_names():
    grab = replace(SPECS[0], name='grab', arguments={}, object_arguments=('what',),
                   effect=Effect(EffectKind.TAKE, object='what'))
    drop_at = SkillSpec('drop_at', '', {}, effect=Effect(EffectKind.PUT_AT, x='px', y='py'))
    step = Step(1, 'grab', {'what': 'red'})
    tight = boxed()
    attempt = Attempt(1, 'grab', {'what': 'red'}, 'in_collision', 'no grasp')
    blocked = blocked_step(step, FailureCase(attempt, tight, step, skill=grab), tight,
                           LocalSkills((grab, drop_at)))
    option = next(proposal.option for proposal in blocked.proposals(tight, Context()))
    assert [(s.skill, sorted(s.args)) for s in option.steps] == [
        ('grab', ['what']), ('drop_at', ['px', 'py'])]


def test_a_cancel_ends_the_search_among_many_objects(monkeypatch):
    crowd = [cube(f'c{i}_{j}', 0.5 + i * 0.045, j * 0.045) for i in range(-9, 10)
             for j in range(-9, 10) if (i, j) != (0, 0)]
    token, looked = CancelToken(), []

    class Cancels(FakeForesight):
        def foresee(self, step, scene, ctx):
            token.cancel()  # while the blocked step itself is foreseen, before the options
            return super().foresee(step, scene, ctx)

    monkeypatch.setattr('replan_agent.replan.local.options.free_places',
                        lambda *of: looked.append(of) or iter(()))
    monkeypatch.setattr('replan_agent.replan.local.pushes.can_slide',
                        lambda *of, **how: looked.append(of))
    before = scene(cube('red', 0.5, 0.0), *crowd)
    with pytest.raises(Cancelled):
        ForesightLocalPlanner(Cancels()).begin(PICK, case(PICK, before), (), Context(token))
    assert not looked


def test_what_is_put_aside_leaves_the_fingers_room_at_the_edge_of_the_table():
    small = replace(TABLE, size=(0.36, 0.30, 0.04), pose=Pose((0.5, 0, -0.02)))
    before = replace(boxed(), objects=(small, *boxed().objects[1:]))
    away = [at for k in range(4) for at in _asides(before.get(f'n{k}'), before, (), 99)]
    assert away and all(abs(x - 0.5) + 0.02 <= 0.18 - FINGER_EDGE_M
                        and abs(y) + 0.02 <= 0.15 - FINGER_EDGE_M for x, y in away)


def test_no_option_undoes_a_goal_that_is_met():
    """Neighbours are in the way of the pick, but the task wants them where they are."""
    before, planner = boxed(), ForesightLocalPlanner(FakeForesight('push red', 'pull red'))
    failed_pick = case(PICK, before)
    assert planner.begin(PICK, failed_pick, (), Context()) is not None
    goals = tuple(Goal(Predicate.AT, f'n{k}', position=before.get(f'n{k}').position[:2])
                  for k in range(4))
    assert planner.begin(PICK, replace(failed_pick, goals=goals), (), Context()) is None
