# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What makes a plan risky, and by how much."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.approve.gripper_path import gripper_paths
from replan_agent.approve.risk import PlanRisk
from replan_agent.arms.franka import PANDA
from replan_agent.domain.approval_request import ApprovalRequest
from replan_agent.domain.config import (
    ApprovalConfig,
    Config,
    ConfigError,
    MotionConfig,
    WorkspaceConfig,
)
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import FailedStage, SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.skills.standard import standard_skills

ARM = ArmSnapshot((0.0,) * 7, Pose((0.3, 0.0, 0.4)), 0.08, at_home=True)
ZONE = 'shelf 0.5 0.35 0.1 0.1 0.1 0.2'  # its near side is at y = 0.30


def thing(name: str, x: float = 0.5, y: float = 0.0, z: float = 0.02) -> SceneObject:
    return SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((x, y, z)))


SCENE = Scene('s', 0.0, (thing('red_cube'), thing('wine_glass', 0.4, -0.2), thing('bowl', y=0.25),
                         thing('Brick_1', 0.6, -0.3)), 'fake', ARM)
SKILLS = standard_skills().specs()
PICK = Step(1, 'pick', {'object': 'red_cube'})


def config(motion: float = 0.1, keep_out: tuple[str, ...] = (), **approval) -> Config:
    return Config(approval=ApprovalConfig(**approval), motion=MotionConfig(motion),
                  workspace=WorkspaceConfig(keep_out=keep_out))


def assess(settings: Config, *steps: Step, attempts=(), scene: Scene = SCENE, skills=SKILLS):
    plan = Plan(1, 'task', steps or (PICK,), (), PlanCause.INITIAL, None, 's', 'p')
    return PlanRisk(settings, PANDA.home_tcp).assess(ApprovalRequest(plan, scene, tuple(attempts),
                                                      skills=skills))


def attempt(reason: str = 'grasp_missed', **more) -> Attempt:
    return Attempt(0, 'pick', {}, reason, 'link5 touched the wall', **more)


def test_a_plain_slow_pick_has_no_risk():
    assert assess(config()).score == 0 and assess(config()).reasons == ()


def test_a_step_near_a_keep_out_zone_is_critical_and_says_how_near():
    risk = assess(config(keep_out=(ZONE,)), Step(1, 'place_in', {'target': 'bowl'}))
    assert risk.score == 0.5
    assert risk.reasons == (
        'step 1 place_in comes within 0.05 m of keep-out shelf (+0.50)',)


def test_a_step_further_away_than_the_margin_is_not():
    near = Step(1, 'place_in', {'target': 'bowl'})
    assert assess(config(keep_out=(ZONE,)), PICK).score == 0
    assert assess(config(keep_out=(ZONE,), margin=0.04), near).score == 0


def test_the_end_of_a_row_that_is_pushed_counts_too():
    push = Step(1, 'push', {'object': 'red_cube', 'direction': 'left', 'distance': 0.13})
    assert assess(config(keep_out=(ZONE,)), push, scene=replace(
        SCENE, objects=(thing('red_cube'),))).score == 0
    row = replace(SCENE, objects=(thing('red_cube'), thing('a', y=0.05), thing('b', y=0.1)))
    assert assess(config(keep_out=(ZONE,)), push, scene=row).reasons == (
        'step 1 push comes within 0.09 m of keep-out shelf (+0.50)',)


def test_the_way_between_two_places_counts_too():
    """Neither the cube nor the spot is near the area, but the straight way leads through it."""
    across = Step(2, 'place_at', {'x': 0.5, 'y': 0.6})
    settings = config(person_areas=('desk 0.5 0.3 0.0 0.05 0.05 0.1',))
    assert assess(settings, PICK).score == 0
    risk = assess(settings, PICK, across)
    assert risk.score == 0.9 and 'step 2 place_at' in risk.reasons[0]


def test_where_something_is_pushed_to_counts():
    push = Step(1, 'push', {'object': 'red_cube', 'direction': 'left', 'distance': 0.25})
    assert assess(config(keep_out=(ZONE,)), push).score == 0.5
    assert assess(config(keep_out=(ZONE,)), replace(
        push, args={**push.args, 'direction': 'right'})).score == 0


def test_where_something_is_pulled_to_counts():
    settings = config(person_areas=('desk 0.4 0.0 0.02 0.05 0.05 0.1',))
    far = replace(SCENE, objects=(thing('red_cube', 0.8),), arm=None)
    pull = Step(1, 'pull', {'object': 'red_cube', 'distance': 0.3})
    assert assess(settings, pull, scene=far).score == 0.9
    assert assess(settings, replace(pull, args={'object': 'red_cube'}), scene=far).score == 0


def test_the_way_home_counts():
    home = Step(1, 'home')
    away = replace(SCENE, arm=replace(ARM, tcp=Pose((0.3, -0.5, 0.2))))
    assert assess(config(person_areas=('desk 0.31 0.0 0.49 0.1 0.1 0.1',)), home,
                  scene=away).score == 0.9
    assert assess(config(person_areas=('desk 0.3 0.4 0.2 0.1 0.1 0.1',)), home,
                  scene=away).score == 0


@pytest.mark.parametrize(('name', 'what'), [('wine_glass', 'fragile'), ('Brick_1', 'heavy')])
def test_an_object_is_fragile_or_heavy_by_its_name(name, what):
    risk = assess(config(), Step(1, 'pick', {'object': name}))
    assert risk.reasons == (f'step 1 pick handles {name}, which is {what} (+0.50)',)


def test_what_is_pushed_along_counts_as_handled():
    push = Step(1, 'push', {'object': 'red_cube', 'direction': 'left', 'distance': 0.1})
    row = replace(SCENE, objects=(thing('red_cube'), thing('wine_glass', y=0.06)))
    (reason,) = assess(config(), push, scene=row).reasons
    assert 'push handles wine_glass, which is fragile' in reason
    assert assess(config(), push).score == 0


def test_what_is_held_already_counts_as_handled():
    held = replace(SCENE, held='wine_glass')
    risk = assess(config(), Step(1, 'place_in', {'target': 'bowl'}), scene=held)
    assert 'handles wine_glass' in risk.reasons[0]


def test_the_names_are_configuration():
    assert assess(config(fragile=('red_*',))).score == 0.5
    assert assess(config(fragile=()), Step(1, 'pick', {'object': 'wine_glass'})).score == 0


def test_motion_above_the_speed_limit_is_risky():
    assert assess(config(motion=0.25)).score == 0
    risk = assess(config(motion=0.8))
    assert risk.score == 0.3 and 'moves at 0.8 of the velocity limit' in risk.reasons[0]


def test_a_steps_own_speed_is_a_share_of_the_setting():
    slow = Step(1, 'pick', {'object': 'red_cube', 'speed': 0.2})
    assert assess(config(motion=0.8), slow).score == 0


@pytest.mark.parametrize('collision', [
    attempt('in_collision'), attempt('in_collision', failed_stage=FailedStage.EXECUTION),
    attempt('controller_aborted', evidence={'contact': True}),
])
def test_anything_after_a_collision_is_critical(collision):
    risk = assess(config(failure_risk=0.0), attempts=[collision])
    assert risk.score == 0.7 and 'link5 touched the wall' in risk.reasons[0]


@pytest.mark.parametrize('foreseen', [
    attempt('in_collision', failed_stage=FailedStage.PLANNING),
    attempt('in_collision', evidence={'rehearsed': True}),
])
def test_a_collision_that_was_only_foreseen_is_none(foreseen):
    assert assess(config(failure_risk=0.0), attempts=[foreseen]).score == 0


def test_each_failed_attempt_adds_risk():
    assert assess(config(), attempts=[attempt()]).score == 0.15
    two = assess(config(), attempts=[attempt()] * 2)
    assert two.score == pytest.approx(1 - 0.85 ** 2, abs=1e-3)
    assert two.reasons == ('2 attempts failed before (+0.28)',)


def test_a_refused_plan_moved_nothing_and_adds_no_risk():
    assert assess(config(), attempts=[attempt(stage=AttemptStage.PLAN)]).score == 0


def test_risks_combine_and_stay_below_one_the_weightiest_first():
    risk = assess(config(motion=0.8), Step(1, 'pick', {'object': 'wine_glass'}))
    assert risk.score == pytest.approx(1 - 0.5 * 0.7)
    assert [reason[-7:] for reason in risk.reasons] == ['(+0.50)', '(+0.30)']


def test_looking_is_no_risk_whatever_happened():
    risk = assess(config(motion=1.0), Step(1, 'look'), attempts=[attempt('in_collision')])
    assert (risk.score, risk.reasons) == (0, ('nothing moves',))


def test_a_weight_of_zero_switches_a_rule_off():
    assert assess(config(motion=0.8, speed_risk=0.0)).reasons == ()


def test_a_wrong_area_is_refused_when_the_rules_are_made():
    with pytest.raises(ConfigError, match='person_areas'):
        PlanRisk(config(person_areas=('desk',)), PANDA.home_tcp)


@pytest.mark.parametrize('step', [Step(1, 'place_on', {'target': 'table'}), Step(1, 'home')],
                         ids=lambda step: step.skill)
def test_a_step_without_a_place_counts_as_near_a_person_at_the_table(step):
    around = config(person_areas=('operator 0.5 0 0.3 2 2 2',))
    table = SceneObject('table', Shape.TABLE, (1.0, 1.0, 0.1), Pose((0.5, 0.0, -0.05)))
    scene = replace(SCENE, objects=(*SCENE.objects, table))
    assert assess(around, step, scene=scene).score >= 0.9
    assert assess(around, Step(1, 'look'), scene=scene).score == 0


def test_a_skill_of_any_name_is_weighed_by_what_it_declares():
    drag = SkillSpec('drag', '', {}, ('what',), False, Effect(
        EffectKind.BRING_CLOSER, object='what', distance='far'))
    nod = SkillSpec('nod', '', {}, effect=Effect(EffectKind.NONE), moves_arm=False)
    settings = config(person_areas=('desk 0.25 0.0 0.02 0.05 0.05 0.1',))
    still = replace(SCENE, arm=None)
    near, far = (Step(1, 'drag', {'what': 'red_cube', 'far': d}) for d in (0.2, 0.05))
    assert assess(settings, near, scene=still, skills=(drag,)).score == 0.9
    assert assess(settings, far, scene=still, skills=(drag,)).score == 0
    assert assess(settings, Step(1, 'nod'), skills=(nod,)).reasons == ('nothing moves',)
    glass = Step(1, 'drag', {'what': 'wine_glass'})
    assert 'drag handles wine_glass' in assess(config(), glass, skills=(drag,)).reasons[0]


DESK = config(person_areas=('desk 0.9 0.9 0.3 0.2 0.2 0.2', 'door -0.9 0.9 0.3 0.2 0.2 0.2'))


@pytest.mark.parametrize('skills', [(), (SkillSpec('wave', '', {}),), (
    SkillSpec('wave', '', {}, effect=Effect(EffectKind.NONE)),)],
    ids=['unknown skill', 'unknown effect', 'moves no object'])
def test_a_step_that_may_lead_anywhere_counts_for_every_person_area(skills):
    risk = assess(DESK, Step(1, 'wave'), skills=skills)
    assert risk.score == pytest.approx(0.99)
    assert 'step 1 wave does not say where the arm goes, and may enter person area desk' \
        in risk.reasons[0]
    assert 'person area door' in risk.reasons[1]


def test_a_skill_of_unknown_effect_that_declares_where_it_works_is_weighed_there():
    poke = SkillSpec('poke', '', {}, ('what',), effect=Effect(object='what'))
    step = Step(1, 'poke', {'what': 'red_cube'})
    assert assess(DESK, step, skills=(poke,)).score == 0
    at_cube = config(person_areas=('desk 0.5 0.0 0.1 0.1 0.1 0.1',))
    assert assess(at_cube, step, skills=(poke,)).score == 0.9


def test_after_a_step_that_may_lead_anywhere_the_gripper_is_not_where_it_was():
    wave = SkillSpec('wave', '', {})
    ways = gripper_paths(Plan(1, 'task', (Step(1, 'wave'), replace(PICK, step_number=2)), (),
                              PlanCause.INITIAL, None, 's', 'p'), SCENE, (*SKILLS, wave),
                         PANDA.home_tcp)
    assert ways[0][1] is None
    assert ways[1][1].tolist() == [list(SCENE.objects[0].position)]


def test_a_hand_that_opens_counts_where_it_is():
    here = config(person_areas=('desk 0.3 0.0 0.4 0.1 0.1 0.1',))
    assert assess(here, Step(1, 'open_gripper')).score == 0.9
    assert assess(DESK, Step(1, 'open_gripper')).score == 0


def test_a_step_that_stands_still_is_near_nobody_in_a_plan_that_moves():
    here = config(person_areas=('desk 0.3 0.0 0.4 0.02 0.02 0.02',), margin=0.01)
    away = replace(SCENE, arm=replace(ARM, tcp=Pose((0.3, 0.0, 0.4))))
    nod = SkillSpec('nod', '', {}, effect=Effect(EffectKind.NONE), moves_arm=False)
    plan = Plan(1, 'task', (Step(1, 'nod'), Step(2, 'home')), (), PlanCause.INITIAL, None, 's',
                'p')
    ways = gripper_paths(plan, away, (*SKILLS, nod), PANDA.home_tcp)
    assert [step.skill for step, _ in ways] == ['home']
    assert 'step 2 home' in assess(here, *plan.steps, scene=away, skills=(*SKILLS, nod)).reasons[0]


def test_an_object_in_any_argument_counts_as_handled():
    wrap = SkillSpec('wrap', '', {})
    risk = assess(config(), Step(1, 'wrap', {'gift': 'wine_glass'}), skills=(wrap,))
    assert 'wrap handles wine_glass, which is fragile' in risk.reasons[0]


def test_a_speed_that_is_no_share_of_the_setting_lowers_no_risk():
    """Another skill may have an argument of that name, in m/s."""
    wipe = SkillSpec('wipe', '', {}, effect=Effect(EffectKind.NONE))
    assert assess(config(motion=0.8), Step(1, 'wipe', {'speed': 0.1}), skills=(wipe,)).score == 0.3
    slow = replace(wipe, effect=Effect(EffectKind.NONE, speed='pace'))
    assert assess(config(motion=0.8), Step(1, 'wipe', {'pace': 0.1}), skills=(slow,)).score == 0
