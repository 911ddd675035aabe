# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""After a failed step, twins that failed alike say which retry, or a new plan, is likeliest."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from replan_agent_chance.chance_recovery import DRAWN, LikeliestRecovery
from replan_agent_chance.chance_rehearsal import with_chance
from replan_agent_chance.sampled_twin import Ran, Trial
from replan_agent_chance.uncertainty import Uncertainty

from replan_agent.app.build.skill_set import skill_set
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import AgentConfig, Config
from replan_agent.domain.context import Cancelled, CancelToken, Context, DeadlineExceeded
from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import FailureCase, Reflection, Response, RetryCounts
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason, find_spec
from replan_agent.domain.things import Quantity, Things
from replan_agent.replan.diagnose.policy import TablePolicy
from replan_agent.replan.reflect.reflection import RuleReflector

TABLE = SceneObject('table', Shape.TABLE, (0.8, 1.2, 0.04), Pose((0.5, 0.0, -0.02)))
RED = SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.1, 0.02)), 'red')
GREEN = replace(RED, name='green_cube', colour='green', pose=Pose((0.6, 0.25, 0.02)))
BOWL = SceneObject('bowl', Shape.BOWL, (0.14, 0.14, 0.05), Pose((0.4, -0.15, 0.025)), 'blue')
SCENE = Scene('scene-1', 0.0, (TABLE, RED, GREEN, BOWL), 'ground_truth')
PICK, SKILLS = Step(1, 'pick', {'object': 'red_cube'}), skill_set((), simulated=True).specs()
HOLDING = (Goal(Predicate.HOLDING, 'red_cube'),)
A_CUBE = (Goal(Predicate.IN, target='bowl', things=Things(
    Quantity.AT_LEAST, 1, named=('red_cube', 'green_cube'))),)
SLIPPED, WORKS, AIR = 'grasp_slipped', Ran(2, '', {}), Ran(0, 'grasp_missed', {})
CONFIG = Config(planner='likeliest', agent=AgentConfig(chance='auto'))
NOTHING_UNSURE = Uncertainty()

Twin = Callable[[Trial, int], Ran]


def failed(policy: TablePolicy, goals: tuple[Goal, ...] = HOLDING, version: int = 1,
           cause: Cause | None = None, reason: Reason = Reason.GRASP_SLIPPED,
           step: Step = PICK) -> FailureCase:
    attempt = Attempt(0, 'pick', dict(step.args), reason.value, 'it slipped', cause=cause,
                      plan_version=version)
    case = FailureCase(attempt, SCENE, step, SCENE, (), find_spec(SKILLS, 'pick'), goals=goals)
    return replace(case, attempt=replace(attempt, diagnosis=policy.diagnose(case)))


def recovered(monkeypatch: pytest.MonkeyPatch, twin: Twin, ctx: Context | None = None,
              config: Config = CONFIG, known: Uncertainty = NOTHING_UNSURE,
              **case: object) -> tuple[Reflection, Response]:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin',
                        lambda trial, number, ctx: twin(trial, number))
    policy = TablePolicy(CONFIG.agent)
    recovery = LikeliestRecovery(config, known, policy, RuleReflector())
    found = failed(policy, **case)  # type: ignore[arg-type]
    reflection = recovery.reflect(found, (), False, ctx or Context())
    assert recovery.reflect(found, (), True, Context()) == reflection  # the same failure
    assert found.attempt.diagnosis is not None
    return reflection, recovery.respond(found.attempt.diagnosis, RetryCounts(), True)


def slips_unless(**args: object) -> Twin:
    def twin(trial: Trial, number: int) -> Ran:
        step = trial.plan.steps[0]
        good = args and all(step.args.get(name) == value for name, value in args.items())
        return WORKS if good else Ran(0, SLIPPED, {})
    return twin


def test_the_change_that_works_in_most_twins_is_tried_next(monkeypatch) -> None:
    reflection, response = recovered(monkeypatch, slips_unless(turn=90))
    assert reflection.fix is not None and reflection.fix.changes['turn'] == 90
    assert 'works in 6 of 6 twins that failed alike' in reflection.contributing_factors[-1]
    assert 'twins' not in reflection.fix.message  # memory keeps it for other scenes
    assert reflection.fix.source == 'chance' and response is Response.RECAPTURE


def test_what_was_chosen_is_kept_as_a_value(monkeypatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin',
                        lambda trial, number, ctx: slips_unless(turn=90)(trial, number))
    policy = TablePolicy(CONFIG.agent)
    recovery = LikeliestRecovery(CONFIG, NOTHING_UNSURE, policy, RuleReflector())
    for deep in (False, True):  # the second is about the same failure
        recovery.reflect(failed(policy), (), deep, Context())
    chosen, = recovery.chosen
    assert chosen.best is not None and chosen.best.worked == 6 and chosen.usual.worked == 0


def test_the_usual_retry_stays_if_nothing_is_clearly_better(monkeypatch) -> None:
    reflection, response = recovered(monkeypatch, slips_unless())
    usual = RuleReflector().reflect(failed(TablePolicy()), (), False, Context())
    assert reflection == usual and response is Response.RECAPTURE


def test_only_twins_that_failed_alike_are_asked(monkeypatch) -> None:
    asked: set[int] = set()

    def twin(trial: Trial, number: int) -> Ran:
        if trial.plan.steps[0].args == PICK.args:
            return Ran(0, SLIPPED, {}) if number % 3 == 0 else WORKS if number % 3 == 1 else AIR
        asked.add(number)
        return Ran(0, SLIPPED, {})

    recovered(monkeypatch, twin)
    assert asked == {number for number in range(DRAWN) if number % 3 == 0}


def test_if_few_twins_fail_alike_nothing_is_changed(monkeypatch) -> None:
    def twin(trial: Trial, number: int) -> Ran:
        return slips_unless(turn=90)(trial, number) if number < 3 else WORKS

    reflection, _ = recovered(monkeypatch, twin)
    assert reflection.fix is not None and reflection.fix.source == 'rules'


def test_a_new_plan_comes_instead_of_a_retry_where_it_is_clearly_likelier(monkeypatch) -> None:
    other = slips_unless(object='green_cube')
    reflection, response = recovered(monkeypatch, other, goals=A_CUBE)
    assert response is Response.REPLAN
    assert ('pick(object=green_cube) → place_on(target=bowl): it works in 6 of 6'
            in reflection.contributing_factors[-1])


def test_without_a_replan_left_it_is_retried(monkeypatch) -> None:
    other = slips_unless(object='green_cube')
    version = CONFIG.agent.max_replans + 1
    assert recovered(monkeypatch, other, goals=A_CUBE, version=version)[1] is Response.RECAPTURE


def test_there_is_no_new_plan_where_replanning_is_off(monkeypatch) -> None:
    off = replace(CONFIG, agent=replace(CONFIG.agent, replanning=False))
    other = slips_unless(object='green_cube')
    assert recovered(monkeypatch, other, goals=A_CUBE, config=off)[1] is Response.RECAPTURE


def test_a_further_change_keeps_those_with_which_it_was_compared(monkeypatch) -> None:
    firmer = Step(1, 'pick', {'object': 'red_cube', 'force': 70})
    reflection, _ = recovered(monkeypatch, slips_unless(force=70, turn=90), step=firmer)
    assert reflection.fix is not None and reflection.fix.source == 'chance'
    assert {**reflection.fix.changes, 'force': 70, 'turn': 90} == dict(reflection.fix.changes)


def test_where_the_perception_is_too_unsure_nothing_is_compared(monkeypatch) -> None:
    for known in (Uncertainty(common_m=0.03), Uncertainty(size_m=0.05)):
        reflection, _ = recovered(monkeypatch, slips_unless(turn=90), known=known)
        assert reflection.fix is not None and reflection.fix.source == 'rules'


def test_what_the_policy_does_not_retry_runs_no_twin(monkeypatch) -> None:
    ran: list[int] = []

    def twin(trial: Trial, number: int) -> Ran:
        ran.append(number)
        return WORKS

    _, response = recovered(monkeypatch, twin, cause=Cause.BEYOND_REACH,
                            reason=Reason.UNREACHABLE)
    assert response is Response.LOCAL and not ran


def test_a_stop_ends_the_comparison_and_a_deadline_leaves_it_out(monkeypatch) -> None:
    def late(trial: Trial, number: int) -> Ran:
        raise DeadlineExceeded('late')

    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda trial, n, ctx: late(trial, n))
    policy = TablePolicy(CONFIG.agent)
    recovery = LikeliestRecovery(CONFIG, NOTHING_UNSURE, policy, RuleReflector())
    case = failed(policy)
    late_too = Context(deadline=0.0, now=lambda: 1.0)  # the loop notices that by itself
    for ctx in (late_too, Context()):
        reflection = recovery.reflect(case, (), False, ctx)
        assert 'no retries were compared' in reflection.contributing_factors[-1]
    assert reflection.fix == RuleReflector().reflect(case, (), False, Context()).fix
    assert case.attempt.diagnosis is not None
    assert recovery.respond(case.attempt.diagnosis, RetryCounts(), True) is Response.RECAPTURE
    stopped = CancelToken()
    stopped.cancel()
    with pytest.raises(Cancelled):
        recovered(monkeypatch, slips_unless(), Context(stopped))


def test_only_the_planner_that_compares_ways_compares_retries() -> None:
    parts = {'rehearsal': None, 'policy': TablePolicy(), 'reflector': RuleReflector()}
    assert isinstance(with_chance(CONFIG, parts)['policy'], LikeliestRecovery)
    assert with_chance(replace(CONFIG, planner='search'), parts)['policy'] is parts['policy']
    assert with_chance(CONFIG, {**parts, 'reflector': None})['policy'] is parts['policy']
