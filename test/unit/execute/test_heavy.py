# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is too heavy: by its felt weight, or when the highest force does not hold it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.cause import Cause
from replan_agent.domain.piece import box_piece
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import Reason, SkillResult
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.heavy import slid_in_lift
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.robot.stepped_robot import aborted

from .fakes import Bench, lifted, scene, thing

PICK = Step(1, 'pick', {'object': 'red_cube'})
REACH_M = 0.5  # of the fake arm: joint 2 lifts the hand by this much per rad


class LoadedBench(Bench):
    """An arm whose second joint carries `load_n` (N) as soon as the fingers have closed.

    What happens to the object then is in `after`. Fingers that lose it come closer.
    """

    def __init__(self, load_n: float, after) -> None:
        super().__init__(after)
        self.gives_way = True
        self.motion.forward = lambda joints: Pose((0.5, 0.0, 0.1 + REACH_M * joints[1]))
        state = self.robot.state
        bias = np.linspace(-2, 2, 7)  # a torque sensor is never at zero

        def loaded():
            held = 'grasp' in self.robot.log
            lost = not after.held and 'lift' in self.phases and self.gives_way
            return replace(state(), external_torque=bias - held * load_n * REACH_M * np.eye(7)[1],
                           gripper_width=self.robot.width - 0.01 * lost)

        self.robot.state = loaded

    def pick(self, **args):
        return self.do(Step(1, 'pick', {'object': 'red_cube', **args}), scene(thing()))


def test_the_weight_in_the_hand_is_felt_and_reported():
    bench = LoadedBench(9.81, scene(lifted(thing()), held='red_cube'))
    result = bench.pick()
    assert result.success and result.evidence['load_n'] == pytest.approx(9.81, rel=1e-3)


def test_what_weighs_more_than_the_arm_carries_is_set_down_again_and_not_lifted():
    bench = LoadedBench(30.0, scene(thing()))
    result = bench.pick()
    assert (result.reason, result.cause) == (Reason.PRECONDITION_FAILED, Cause.TOO_HEAVY)
    assert result.proved_impossible
    assert '3.06 kg' in result.reason_detail and '2.27 kg' in result.reason_detail
    assert bench.phases[-5:] == ['take_up', 'set_down', 'release', 'retreat', 'release']


def test_a_pull_that_comes_while_the_fingers_close_further_is_no_proof_of_weight():
    bench = LoadedBench(30.0, scene(thing()))
    state = bench.robot.state
    bench.robot.state = lambda: replace(
        state(), gripper_width=bench.robot.width - 0.01 * ('take_up' in bench.phases))
    result = bench.pick()
    assert result.cause is Cause.TOO_HEAVY and not result.proved_impossible
    assert 'it is slippery, stuck, held back, or heavier than the 2.27 kg' in result.reason_detail


@pytest.mark.parametrize(('x', 'proved'), [(0.545, False), (0.6, True)])
def test_a_weight_is_no_proof_where_a_neighbour_may_hold_the_thing(x, proved):
    seen = scene(thing(), replace(thing(x=x), name='blue_cube'))
    result = LoadedBench(30.0, scene(thing())).do(PICK, seen)
    assert result.cause is Cause.TOO_HEAVY and result.proved_impossible is proved


@pytest.mark.parametrize(('x', 'cause'), [
    (0.55, Cause.UNEXPECTED_CONTACT), (0.8, Cause.TOO_HEAVY)])
def test_a_pull_where_something_unseen_was_felt_before_is_no_weight(x, cause):
    seen = scene(thing(), replace(thing(x=x), name='unseen_1'))
    assert LoadedBench(30.0, scene(thing())).do(PICK, seen).cause is cause


def stopped_in_take_up(load_n: float, impact=(), held_up: bool = False, slides: bool = False
                       ) -> SkillResult:
    bench = LoadedBench(load_n, scene(thing()))
    felt = aborted('joint 2 is 0.2 rad off', Cause.HELD_UP) if held_up else ContactGuard(
        ).ended_by('unexpected contact: joint 2 feels 31 N·m', np.array(impact))
    execute = bench.robot.execute

    def hard_to_lift(trajectory, ctx, guard=None) -> CommandResult:
        answer = execute(trajectory, ctx, guard)
        if bench.phases[-1] != 'take_up':
            return answer
        bench.robot.width -= 0.01 * slides
        return felt

    bench.robot.execute = hard_to_lift
    return bench.pick()


@pytest.mark.parametrize(('load_n', 'proved'), [(10.0, False), (40.0, True)])
def test_an_object_that_does_not_come_up_at_all_is_stuck_or_too_heavy(load_n, proved):
    """Only a load that was felt and is too large proves that it cannot be lifted."""
    result = stopped_in_take_up(load_n)
    assert result.cause is Cause.TOO_HEAVY and 'stuck' in result.reason_detail
    assert f'{load_n} N and does not rise' in result.reason_detail
    assert 'contact' not in result.reason_detail and not result.evidence.get('contact')
    assert result.proved_impossible is proved


def test_what_stops_the_arm_while_nothing_pulls_at_the_hand_is_told_as_the_joint_feels_it():
    result = stopped_in_take_up(0.2)
    assert result.cause is not Cause.TOO_HEAVY and result.evidence['contact']
    assert '31 N·m' in result.reason_detail and 'kg' not in result.reason_detail


def test_what_stops_the_arm_with_a_pull_at_the_hand_is_a_load_though_the_arm_then_feels_little():
    result = stopped_in_take_up(0.2, impact=-31.0 * np.eye(7)[1])
    assert result.cause is Cause.TOO_HEAVY and not result.proved_impossible
    assert 'pulls at the hand and does not rise' in result.reason_detail, 'a jolt is no weight'


def test_a_jolt_from_what_slides_between_the_pads_is_no_load():
    result = stopped_in_take_up(0.2, impact=-31.0 * np.eye(7)[1], slides=True)
    assert result.cause is not Cause.TOO_HEAVY and slid_in_lift(result)


def test_what_closed_pads_feel_is_no_weight():
    bench = LoadedBench(100.0, scene(thing()))
    execute = bench.robot.execute

    def lost(trajectory, ctx, guard=None) -> CommandResult:
        bench.robot.width = 0.0 if bench.phases[-1] == 'take_up' else bench.robot.width
        return execute(trajectory, ctx, guard)

    bench.robot.execute, bench.gives_way = lost, False
    result = bench.pick()
    assert result.cause is not Cause.TOO_HEAVY and result.reason is Reason.GRASP_SLIPPED


@pytest.mark.parametrize('impact', [31.0 * np.eye(7)[1], -31.0 * np.eye(7)[3]],
                         ids=['a push from below', 'a link that meets something'])
def test_what_no_pull_at_the_hand_explains_stays_a_contact(impact):
    result = stopped_in_take_up(0.2, impact)
    assert result.cause is not Cause.TOO_HEAVY and result.evidence['contact']


def test_an_arm_that_is_held_up_while_it_raises_what_pulls_at_it_is_not_told_as_blocked():
    assert stopped_in_take_up(10.0, held_up=True).cause is Cause.TOO_HEAVY


@pytest.mark.parametrize(('load_n', 'cause'), [
    (5.6, Cause.SLIPPED_IN_LIFT), (16.0, Cause.TOO_HEAVY)])
def test_the_highest_force_that_lets_it_slip_in_a_slow_lift_is_a_proof_with_numbers(load_n, cause):
    """That it is too heavy needs a weight that dry fingers carry: else its sides are slippery."""
    result = LoadedBench(load_n, scene(thing())).pick(force=70, speed=0.25)
    assert (result.reason, result.cause) == (Reason.GRASP_SLIPPED, cause)
    assert result.proved_impossible
    assert result.reason_detail.startswith('70 N do not hold red_cube')
    assert f'{load_n} N' in result.reason_detail


def test_the_most_that_a_weak_hand_presses_with_is_its_highest_force_and_is_what_is_told():
    bench = LoadedBench(5.6, scene(thing()))
    weak = replace(PANDA, hand=replace(PANDA.hand, max_force_n=20.0))
    bench.executor = SkillExecutor(standard_skills(), replace(bench.kit, arm=weak))
    result = bench.pick(speed=0.25)
    assert result.cause is Cause.TOO_HEAVY and result.reason_detail.startswith('20 N do not hold')


@pytest.mark.parametrize(('load_n', 'proved'), [(1.0, False), (20.0, True)])
def test_a_light_thing_of_any_shape_that_slides_out_may_only_have_sides_that_lean(load_n, proved):
    size = (0.04, 0.04, 0.04)
    shape = replace(thing(), shape=Shape.IRREGULAR, pieces=(box_piece(size),))
    bench = LoadedBench(load_n, scene(shape))
    result = bench.do(Step(1, 'pick', {'object': 'red_cube', 'force': 70, 'speed': 0.25}),
                      scene(shape))
    assert result.reason is Reason.GRASP_SLIPPED
    assert (result.cause is Cause.TOO_HEAVY) is proved is result.proved_impossible


@pytest.mark.parametrize('args', [{}, {'force': 60, 'speed': 0.25}, {'force': 70}])
def test_a_slip_that_more_force_or_less_speed_may_prevent_proves_nothing(args):
    result = LoadedBench(5.6, scene(thing())).pick(**args)
    assert result.reason is Reason.GRASP_SLIPPED
    assert result.cause is None and not result.proved_impossible


@pytest.mark.parametrize('after', [scene(), scene(thing(z=0.05), held='red_cube'),
                                   scene(thing(z=0.14))], ids=['gone', 'held', 'risen'])
def test_an_object_that_is_gone_or_came_along_is_not_called_too_heavy(after):
    assert LoadedBench(5.6, after).pick(force=70, speed=0.25).cause is None


def test_fingers_that_stopped_before_the_object_did_not_press_on_it():
    bench = LoadedBench(0.0, scene(thing()))
    bench.robot.grip_width, bench.gives_way = 0.06, False
    result = bench.pick(force=70, speed=0.25)
    assert result.reason is Reason.GRASP_SLIPPED and result.cause is None


def test_fingers_that_stay_as_wide_above_it_never_held_it():
    after = scene(thing())
    bench = LoadedBench(0.0, replace(after, arm=replace(after.arm, gripper_width=0.04)))
    bench.gives_way = False
    result = bench.pick(force=70, speed=0.25)
    assert result.reason is Reason.GRASP_SLIPPED and result.cause is None


def test_an_arm_that_feels_nothing_still_knows_that_the_highest_force_failed():
    result = LoadedBench(0.0, scene(thing())).pick(force=70, speed=0.25)
    assert result.proved_impossible and 'carried' not in result.reason_detail
    assert result.cause is Cause.SLIPPED_IN_LIFT, 'no weight was felt'
