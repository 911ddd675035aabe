# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The planner that runs each plan in twins first, and takes the way that works most often."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from replan_agent_chance.likeliest import CLEAR, FIRST, LikeliestPlanner
from replan_agent_chance.sampled_twin import Ran, Trial
from replan_agent_chance.uncertainty import Uncertainty
from replan_agent_chance.ways import Way, changed_ways

from replan_agent.app.build.build_reader import build_reader
from replan_agent.app.build.skill_set import skill_set
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.failure import Attempt
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.execute.skills.pick import Pick
from replan_agent.plan.search.search_planner import SearchPlanner

CUBE = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.1, 0.02)), 'red')
SCENE = Scene('scene-1', 0.0, (CUBE,), 'ground_truth')
PICK = Step(1, 'pick', {'object': 'cube'})
SKILLS = (Pick().spec,)
SLIPS, MISSES = Ran(0, 'grasp_slipped', {}), Ran(0, 'grasp_missed', {})  # as skills tell them
WORKS, MEASURED = Ran(1, '', {}), Uncertainty()


class Usual:
    name, uses_model = 'usual', False

    def __init__(self, *steps: Step, kind: ReplyKind = ReplyKind.STEPS) -> None:
        self.reply = PlanReply(kind, steps)

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        return self.reply

    def plan_and_reading(self, request: PlanRequest, ctx: Context, only_read: bool
                         ) -> tuple[PlanReply, None]:
        return self.reply, None


def planned(monkeypatch: pytest.MonkeyPatch, twin: Callable[[Trial, int], Ran],
            inner: Usual | None = None, known: Uncertainty | None = MEASURED,
            attempts: tuple[Attempt, ...] = ()) -> tuple[PlanReply, list[int]]:
    """The reply, and the numbers of the twins that ran."""
    ran: list[int] = []

    def run_twin(trial: Trial, number: int, ctx: Context) -> Ran:
        ran.append(number)
        return twin(trial, number)

    monkeypatch.setattr('replan_agent_chance.twins.run_twin', run_twin)
    planner = LikeliestPlanner(inner or Usual(PICK), Config(), known)
    request = PlanRequest('pick up the cube', SCENE, SKILLS, attempts)
    return planner.plan(request, Context()), ran


def is_changed(trial: Trial, **change: object) -> bool:
    args = trial.plan.steps[0].args
    return all(args.get(name) == value for name, value in change.items())


def test_a_plan_that_works_in_every_twin_is_taken_as_it_is(monkeypatch) -> None:
    reply, ran = planned(monkeypatch, lambda trial, number: WORKS)
    assert reply == Usual(PICK).reply and ran == list(range(FIRST))


def test_a_plan_that_is_refused_anyway_is_not_compared(monkeypatch) -> None:
    unknown = Usual(replace(PICK, args={'object': 'ghost'}))
    reply, ran = planned(monkeypatch, lambda trial, number: SLIPS, unknown)
    assert reply == unknown.reply and not ran


def test_a_plan_that_is_proved_impossible_runs_in_one_twin(monkeypatch) -> None:
    reply, ran = planned(monkeypatch, lambda trial, number: Ran(0, 'too_wide', {}, 'too wide'))
    assert reply == Usual(PICK).reply and ran == [0]


def test_the_way_that_works_most_often_is_taken_and_says_by_how_much(monkeypatch) -> None:
    reply, _ = planned(monkeypatch, lambda trial, number: (
        WORKS if is_changed(trial, force=70, turn=90) else SLIPS))
    assert reply.steps[0].args['turn'] == 90 and reply.steps[0].args['force'] == 70
    assert 'works in 16 of 16 twins, as planned in 0' in reply.warnings[0]


def test_a_way_that_is_hardly_better_is_not_taken(monkeypatch) -> None:
    def twin(trial: Trial, number: int) -> Ran:
        good = 8 + (0 if is_changed(trial, force=None) else CLEAR - 1)
        return WORKS if number < good and number else SLIPS

    reply, _ = planned(monkeypatch, twin)
    assert reply.steps == (PICK,) and not reply.warnings


def test_a_way_that_cannot_be_better_any_more_is_left(monkeypatch) -> None:
    def twin(trial: Trial, number: int) -> Ran:
        return SLIPS if number < 6 or not is_changed(trial, force=None) else WORKS

    _, ran = planned(monkeypatch, twin)  # 10 of 16 work as planned: two failures are allowed
    assert max(ran.count(number) for number in range(3)) > 1
    assert [ran.count(number) for number in range(3, 16)] == [1] * 13


def test_ways_that_take_too_long_leave_the_plan_as_it_is(monkeypatch) -> None:
    def late(trial: Trial, number: int) -> Ran:
        raise DeadlineExceeded('late')

    reply, _ = planned(monkeypatch, late)
    assert reply.steps == (PICK,) and 'took longer than 120 s' in reply.warnings[0]


def test_all_ways_run_in_the_same_twins(monkeypatch) -> None:
    seeds = set()

    def twin(trial: Trial, number: int) -> Ran:
        seeds.add(trial.seed)
        return MISSES

    _, ran = planned(monkeypatch, twin)
    assert len(seeds) == 1 and set(ran) == set(range(16))


def test_the_changes_are_those_that_the_skill_names_for_the_failure() -> None:
    changed = [way.steps[0].args for way in changed_ways(Way((PICK,), '', (SLIPS,)), SKILLS)]
    assert [{**PICK.args, **change} for change in Pick().spec.adjustments['slipped_in_lift']
            ] == changed


def test_a_failure_without_a_change_of_its_own_tries_the_other_ways_to_do_it() -> None:
    unmet = Ran(1, 'goal_not_met', {})
    changed = [way.steps[0].args for way in changed_ways(Way((PICK,), '', (unmet,)), SKILLS)]
    assert {'object': 'cube', 'grasp': 'side'} in changed


@pytest.mark.parametrize('inner', [Usual(kind=ReplyKind.DONE), Usual(Step(1, 'look', {}))])
def test_what_no_chance_is_told_for_stays_as_it_is(monkeypatch, inner: Usual) -> None:
    reply, ran = planned(monkeypatch, lambda trial, number: MISSES, inner)
    assert reply == inner.reply and not ran


def test_without_a_measured_perception_nothing_is_compared(monkeypatch) -> None:
    for known in (None, Uncertainty(common_m=0.03)):  # or one that is too unsure
        reply, ran = planned(monkeypatch, lambda trial, number: MISSES, known=known)
        assert reply == Usual(PICK).reply and not ran


def test_after_a_failure_the_plan_stays_as_it_is(monkeypatch) -> None:
    failed = (Attempt(0, 'pick', {}, 'grasp_slipped', 'it slipped'),)
    reply, ran = planned(monkeypatch, lambda trial, number: MISSES, attempts=failed)
    assert reply == Usual(PICK).reply and not ran


BOWL = SceneObject('bowl', Shape.BOWL, (0.14, 0.14, 0.05), Pose((0.5, -0.15, 0.025)), 'blue')
RED = replace(CUBE, name='red_cube')
GREEN = SceneObject('green_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.4, 0.25, 0.02)), 'green')
TABLE = SceneObject('table', Shape.TABLE, (0.8, 1.2, 0.04), Pose((0.5, 0.0, -0.02)))
CROWD = replace(SCENE, objects=(TABLE, RED, GREEN, BOWL))


def searched(monkeypatch: pytest.MonkeyPatch, task: str, works: Callable[[Trial], bool]
             ) -> PlanReply:
    """What is planned for the task with the real search, where these plans work."""
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda trial, number, ctx: (
        Ran(2, '', {}) if works(trial) else Ran(2, 'goal_not_met', {})))
    planner = LikeliestPlanner(SearchPlanner(build_reader('')), Config(), MEASURED)
    return planner.plan(PlanRequest(task, CROWD, skill_set((), simulated=True).specs()),
                        Context())


def test_another_thing_that_the_words_allow_is_compared(monkeypatch) -> None:
    reply = searched(monkeypatch, 'pick up a cube',
                     lambda trial: trial.plan.steps[0].args['object'] == 'red_cube')
    assert [step.args['object'] for step in reply.steps] == ['red_cube']
    assert [goal.object for goal in reply.goals] == ['red_cube'] and reply.goals_certain
    assert 'pick(object=red_cube) is chosen' in reply.warnings[-1]
    assert reply.suggested_plan is not None  # its stages are those of the other thing
    assert {stage.goal.object for stage in reply.suggested_plan.goals if stage.goal} == {
        'red_cube'}


def test_another_thing_is_not_taken_where_the_words_name_one(monkeypatch) -> None:
    reply = searched(monkeypatch, 'pick up the red cube',
                     lambda trial: trial.plan.steps[0].args['object'] == 'green_cube')
    assert [step.args['object'] for step in reply.steps] == ['red_cube'] and not reply.warnings


def test_another_free_place_is_compared(monkeypatch) -> None:
    task, places = 'put the red cube next to the bowl', []

    def works(trial: Trial) -> bool:
        place = trial.plan.steps[1].call
        places.extend([] if place in places else [place])
        return len(places) > 1

    reply = searched(monkeypatch, task, works)
    assert reply.steps[1].skill == 'place_at' and reply.steps[1].call == places[1]
    assert 'is chosen: it works in 16 of 16 twins, as planned in 0' in reply.steps[0].description


def test_another_spot_is_compared_where_a_place_names_none_for_its_failure(monkeypatch) -> None:
    reply = searched(monkeypatch, 'put the red cube in the bowl', lambda trial: (
        trial.plan.steps[1].args.get('spot') == 1))
    assert reply.steps[1].args == {'target': 'bowl', 'spot': 1}
