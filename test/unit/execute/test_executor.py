# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps that cannot start are results with reasons, and nothing moves."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.hand import HandBelief
from replan_agent.domain.plan import Step
from replan_agent.domain.port_errors import PartFailed
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import (
    FELT,
    REPLAN_STEP,
    UNCHECKED,
    FailedStage,
    Reason,
    SkillSpec,
    succeeded,
)
from replan_agent.execute.contract import Call, Skill, precondition
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.registry import Registry
from replan_agent.execute.skills.standard import standard_skills

from .fakes import OK, Bench, scene, thing


def test_an_unknown_skill_is_a_result_that_lists_the_known_ones():
    bench = Bench()
    result = bench.do(Step(1, 'fly', {}), scene())
    assert result.reason is Reason.UNKNOWN_SKILL and not bench.robot.log
    assert "'fly'" in result.reason_detail and 'place_on' in result.reason_detail


@pytest.mark.parametrize(('skill', 'args'), [
    ('pick', {}), ('pick', {'object': 3}), ('pick', {'object': 'red_cube', 'haste': 1}),
    ('place_at', {'x': 'left', 'y': 0}), ('home', {'fast': True}),
])
def test_bad_arguments_are_a_result_that_names_the_skill(skill, args):
    bench = Bench()
    result = bench.do(Step(1, skill, args), scene(thing()))
    assert result.reason is Reason.BAD_ARGUMENTS and not bench.robot.log
    assert result.reason_detail.startswith(f'{skill}: ')


def test_an_object_that_is_not_there_is_a_result_that_lists_what_is():
    result = Bench().do(Step(1, 'pick', {'object': 'green_cube'}), scene(thing()))
    assert result.reason is Reason.OBJECT_NOT_FOUND and result.stage is FailedStage.PRECONDITION
    assert 'red_cube' in result.reason_detail


def test_a_replan_step_that_gets_here_succeeds_and_does_nothing():
    bench = Bench()
    assert bench.do(Step(1, REPLAN_STEP), scene()).success and not bench.robot.log


def test_two_skills_cannot_have_one_name():
    class Twin(Skill):
        spec = SkillSpec('pick', '', {})

        def run(self, call):
            raise NotImplementedError

        def verify(self, call):
            raise NotImplementedError

    registry = standard_skills()
    with pytest.raises(ValueError, match='pick'):
        registry.add(Twin())
    assert isinstance(registry, Registry) and registry.names().count('pick') == 1


OLD = replace(thing(), seen_at=-61.0)  # the fake arm's time is 0, the limit 60 s


def test_motion_to_an_object_not_seen_recently_is_refused_before_the_arm_moves():
    bench = Bench()
    result = bench.do(Step(1, 'pick', {'object': 'red_cube'}), scene(OLD))
    assert result.reason is Reason.STALE_SCENE and not bench.robot.log
    assert '61.0s' in result.reason_detail and 'max_object_age_s=60' in result.reason_detail


def test_a_held_object_must_have_been_seen_recently_too():
    bench = Bench()
    result = bench.do(Step(1, 'place_at', {'x': 0.5, 'y': 0.2}), scene(OLD, held='red_cube'))
    assert result.reason is Reason.STALE_SCENE and not bench.robot.log


def test_an_old_object_that_the_step_does_not_name_does_not_stop_it():
    other = thing('blue_cube', y=0.2)
    result = Bench().do(Step(1, 'pick', {'object': 'blue_cube'}), scene(OLD, other))
    assert result.reason is not Reason.STALE_SCENE


def test_what_the_pads_hold_and_the_scene_does_not_show_is_evidence_of_the_refusal():
    bench = Bench()
    bench.robot.width = 0.04
    bench.kit.hand.belief = HandBelief('red_cube', 0.04, since=0.0)
    result = bench.do(Step(1, 'pick', {'object': 'blue_cube'}), scene(thing('blue_cube', y=0.2)))
    assert result.reason is Reason.PRECONDITION_FAILED and result.evidence[FELT] == 'red_cube'


def test_looking_is_always_allowed():
    assert Bench().do(Step(1, 'look'), scene(OLD)).success


def test_a_stale_scene_verifies_nothing():
    after = replace(scene(thing()), stale=True, warnings=('recapture failed (dark)',))
    result = Bench(after).do(Step(1, 'look'), scene(thing()))
    assert result.reason is Reason.STALE_SCENE and 'dark' in result.reason_detail


class Own(Skill):
    """A skill of a user, whose methods return what the test wants."""

    spec = SkillSpec('own', 'Do it.', {'type': 'object'})

    def __init__(self, **returned):
        self.returned, self.ran = returned, False

    def check(self, call):
        return self.returned.get('check')

    def run(self, call):
        self.ran = True
        return self.returned.get('run', succeeded())

    def verify(self, call):
        return self.returned.get('verify', succeeded())

    def foresee(self, call):
        return self.returned.get('foresee', succeeded())


def executor(skill: Skill) -> SkillExecutor:
    return SkillExecutor(Registry([skill]), Bench().kit)


def test_a_check_that_succeeds_refuses_nothing():
    skill = Own(check=succeeded())
    skills = executor(skill)
    assert skills.execute(Step(1, 'own'), scene(), Context(), lambda phase: None).success
    assert skill.ran
    assert not executor(Own(check=succeeded(), foresee=precondition('no'))).foresee(
        Step(1, 'own'), scene(), Context()).success


class Looking(Own):
    """Its check of its result looks at something."""

    def __init__(self, look):
        super().__init__()
        self.look = look

    def verify(self, call):
        self.look(call)
        return succeeded()


@pytest.mark.parametrize('look', [
    lambda call: call.observe(), lambda call: call.kit.robot.state(),
    lambda call: call.measured.get('width')], ids=['scene', 'encoders', 'measured'])
def test_a_check_that_looks_at_something_is_a_check(look):
    result = executor(Looking(look)).execute(Step(1, 'own'), scene(), Context(),
                                             lambda phase: None)
    assert result.success and not result.evidence.get(UNCHECKED)


def test_a_check_that_looks_at_nothing_says_so():
    result = executor(Own()).execute(Step(1, 'own'), scene(), Context(), lambda phase: None)
    assert result.success and result.evidence[UNCHECKED] is True and result.reason_detail


@pytest.mark.parametrize(('method', 'returned', 'wanted'), [
    ('check', True, 'None or a SkillResult, not True'),
    ('run', None, 'a SkillResult, not None'), ('verify', True, 'a SkillResult, not True')])
def test_a_skill_that_returns_no_result_is_named_with_its_method(method, returned, wanted):
    skills = executor(Own(**{method: returned}))
    with pytest.raises(PartFailed, match=f"^skill 'own': {method} must return {wanted}$"):
        skills.execute(Step(1, 'own'), scene(), Context(), lambda phase: None)


def test_a_forecast_that_is_no_result_is_named():
    with pytest.raises(PartFailed, match="^skill 'own': foresee must return a SkillResult, not 1"):
        executor(Own(foresee=1)).foresee(Step(1, 'own'), scene(), Context())


def test_a_phase_that_returns_no_result_is_named():
    class Phased(Own):
        def run(self, call):
            return call.in_phases([('reach', lambda: None)])

    with pytest.raises(TypeError, match="^phase 'reach' must return a SkillResult, not None$"):
        executor(Phased()).execute(Step(1, 'own'), scene(), Context(), lambda phase: None)


def test_fingers_that_report_no_number_are_not_open():
    bench = Bench()
    bench.robot.move_gripper = lambda width, ctx: setattr(bench.robot, 'width', math.nan) or OK
    result = bench.do(Step(1, 'open_gripper'), scene())
    assert not result.success and result.reason is Reason.VERIFICATION_FAILED


def test_an_arm_that_reports_no_number_is_not_at_home():
    bench = Bench()
    bench.robot.joints = np.full(7, math.nan)
    call = Call({}, scene(), bench.kit, Context(), bench.phases.append)
    assert not standard_skills().get('home').verify(call).success


def test_a_failed_motion_ends_when_what_it_touched_rests():
    """The agent looks after a failure: what still moves there would be judged where it is not."""
    bench = Bench()
    looks = [scene(thing(x=0.5 + 0.01 * min(n, 3))) for n in range(9)]
    seen = iter(looks)
    bench.kit.perception.observe = lambda ctx: next(seen)
    bench.robot.execute_answer = CommandResult(True)
    bench.robot.move_gripper = lambda width, ctx: CommandResult(False, Reason.CONTROLLER_ABORTED)
    result = bench.do(Step(1, 'open_gripper', {}), scene(thing()))
    assert result.stage is FailedStage.EXECUTION and 'verify' not in bench.phases
    assert next(seen) is looks[5]  # the fourth and the fifth look agree
