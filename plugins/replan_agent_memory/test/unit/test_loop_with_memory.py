# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The loop with real diagnosis, reflection and memory: what it learns, it uses the next time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from agent.fakes import (
    HOLDING,
    PICK,
    SPECS,
    FakePerception,
    FakePlanner,
    FakeSkills,
    Rig,
    scene,
    step,
    steps,
)
from agent.test_loop_edges import TO_THE_SIDE, Options, push
from agent.test_plan_edits import Editor
from agent.test_plan_edits import rig as edited_plan
from agent.test_slips_in_the_loop import Hands, Slippery
from agent.test_slips_in_the_loop import run as slip_in_the_loop
from replan_agent_memory.failure_memory import FailureMemory

from replan_agent.domain.config import AgentConfig
from replan_agent.domain.failure import Attempt
from replan_agent.domain.local_planning import Decision
from replan_agent.domain.recovery import Fix
from replan_agent.domain.skill import FailedStage, Reason, failed, find_spec, succeeded
from replan_agent.geometry.situation import build_situation
from replan_agent.replan.reflect.reflection import RuleReflector

TOUCHED = failed(Reason.IN_COLLISION, 'unexpected contact', FailedStage.EXECUTION, contact=True)


def run(path, *args, **more) -> tuple[Rig, Slippery]:
    return slip_in_the_loop(FailureMemory(path), *args, **more)


def test_the_second_encounter_begins_with_what_worked_though_the_object_is_elsewhere(tmp_path):
    run(tmp_path / 'm.db', 0.5)
    rig, skills = run(tmp_path / 'm.db', 0.38)
    assert [s.args.get('force') for s in skills.executed] == [60]
    assert 'memory_recalled' in rig.kinds()


def test_a_remembered_fix_that_fails_loses_its_weight_and_the_next_one_is_learnt(tmp_path):
    run(tmp_path / 'm.db', needs_n=60)
    _, skills = run(tmp_path / 'm.db', needs_n=70)
    assert [s.args.get('force') for s in skills.executed] == [60, 70]
    _, skills = run(tmp_path / 'm.db', needs_n=70)
    assert [s.args.get('force') for s in skills.executed] == [70]


def test_nothing_is_adapted_when_the_settings_say_so(tmp_path):
    run(tmp_path / 'm.db')
    skills = Slippery(60)
    memory = FailureMemory(tmp_path / 'm.db')
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), skills, Hands(skills, 0.5),
              config=AgentConfig(adapt_retries=False, max_replans=0, max_step_retries=1),
              ports={'reflector': RuleReflector(), 'memory': memory})
    assert not rig.run().success
    assert [dict(s.args) for s in skills.executed] == [{'object': 'red_cube'}] * 2


def test_the_next_plan_gets_cause_fix_and_similar_situations(tmp_path):
    run(tmp_path / 'm.db')
    skills = Slippery(1000)
    planner = FakePlanner(steps(step(), goals=[HOLDING]))
    rig = Rig(planner, skills, Hands(skills, 0.5), config=AgentConfig(max_replans=1),
              ports={'reflector': RuleReflector(), 'memory': FailureMemory(tmp_path / 'm.db')})
    result = rig.run()
    context = planner.requests[1].context
    assert context['error_analysis']['error_type'] == 'physical'
    assert context['error_analysis']['root_cause'] in [r.root_cause for r in result.reflections]
    assert context['similar_situations'][0]['fix']['changes']['force'] == 60
    assert context['failed_at_step'] == 0 and context['fix_suggestion']['message']


@pytest.mark.parametrize('content', [b'not a database at all ' * 300, None])
def test_a_memory_that_cannot_be_used_never_stops_the_task(content, tmp_path):
    path = tmp_path / 'm.db'
    path.mkdir() if content is None else path.write_bytes(content)
    rig, skills = run(path)
    assert len(skills.executed) == 2
    warnings = [e.message for e in rig.recorder.events if e.kind == 'warning_raised']
    assert len(warnings) == 1 and 'm.db' in warnings[0]


def test_a_remembered_change_that_does_harm_is_taken_back(tmp_path):
    memory = FailureMemory(tmp_path / 'm.db')
    turn = Fix('turn', {'turn': 90})
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), FakeSkills(TOUCHED, succeeded()),
              FakePerception(scene(), scene(), scene(held='red_cube')),
              ports={'reflector': RuleReflector(), 'memory': memory})
    memory.learn(build_situation(step(), scene(), PICK), turn, True)
    assert rig.run().success
    assert [dict(s.args) for s in rig.skills.executed] == [
        {'object': 'red_cube', 'turn': 90}, {'object': 'red_cube'}]
    known = {k.fix.option or 'turn': k.weight for k in memory.recall(build_situation(
        step(), scene(), PICK))}
    assert known['turn'] == 0.5


class Spy(FailureMemory):
    """Keeps what it is taught."""

    def __init__(self, path) -> None:
        super().__init__(path)
        self.taught: list[tuple[dict[str, object], bool]] = []
        self.options: list[tuple[str, bool]] = []

    def learn(self, situation, fix, worked):
        super().learn(situation, fix, worked)
        self.taught.append((dict(fix.changes), worked))
        self.options.append((fix.option, worked))


def test_a_change_is_not_credited_with_what_went_well_without_it(tmp_path):
    memory = Spy(tmp_path / 'm.db')
    memory.learn(build_situation(step(), scene(), PICK), Fix('turn', {'turn': 90}), True)
    memory.taught.clear()
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), FakeSkills(TOUCHED, succeeded()),
              FakePerception(scene(), scene(), scene(held='red_cube')),
              ports={'reflector': RuleReflector(), 'memory': memory})
    assert rig.run().success
    assert [dict(s.args) for s in rig.skills.executed] == [
        {'object': 'red_cube', 'turn': 90}, {'object': 'red_cube'}]
    assert memory.taught == [({'turn': 90}, False), ({}, True)]  # the plain way worked


@pytest.mark.parametrize('reason', [Reason.STOPPED, Reason.CONTROLLER_ABORTED, Reason.TIMEOUT,
                                    Reason.STALE_SCENE])
def test_a_change_is_not_blamed_for_the_driver_a_person_or_the_view(reason, tmp_path):
    memory = Spy(tmp_path / 'm.db')
    memory.learn(build_situation(step(), scene(), PICK), Fix('firm', {'force': 60}), True)
    memory.taught.clear()
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), FakeSkills(failed(reason, 'so it is')),
              FakePerception(scene()), config=AgentConfig(max_replans=0, max_step_retries=0),
              ports={'reflector': RuleReflector(), 'memory': memory})
    rig.run()
    assert rig.skills.executed[0].args['force'] == 60 and memory.taught == []


BLOCKED = failed(Reason.IN_COLLISION, 'none of 40 grasps is free', FailedStage.PLANNING)


@pytest.mark.parametrize(('decision', 'then', 'taught'), [
    (Decision.SUCCESS, succeeded(), [('other_grasp', True)]),
    (Decision.SUCCESS, BLOCKED, [('other_grasp', False)]),
    (Decision.EXPLORE, succeeded(), [('other_grasp', False)])])
def test_local_planning_learns_from_the_step_it_was_for(decision, then, taught, tmp_path):
    memory = Spy(tmp_path / 'm.db')
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), FakeSkills(BLOCKED, then),
              FakePerception(scene(), scene(held='red_cube')),
              config=AgentConfig(max_replans=0, repeat_guard=False, max_step_retries=0),
              ports={'reflector': RuleReflector(), 'memory': memory,
                     'local_planner': Options(decision, TO_THE_SIDE)})
    rig.run()
    assert memory.options == taught


def test_progress_on_the_way_to_a_solution_is_no_failure(tmp_path):
    class TwoClearings(Options):
        def judge(self, number, option, before, after, succeeded, ctx):
            self._decision = Decision.SUCCESS if not self._left else Decision.RETAIN
            return super().judge(number, option, before, after, succeeded, ctx)

    memory = Spy(tmp_path / 'm.db')
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), FakeSkills(BLOCKED, succeeded()),
              FakePerception(scene(), scene(), scene(), scene(held='red_cube')),
              ports={'reflector': RuleReflector(), 'memory': memory,
                     'local_planner': TwoClearings(Decision.RETAIN, push(0.1), push(0.2))})
    assert rig.run().success
    assert memory.options == [('push', True)]


def test_without_reflection_the_planner_still_gets_what_memory_knows(tmp_path):
    run(tmp_path / 'm.db')
    planner, skills = FakePlanner(steps(step(), goals=[HOLDING])), Slippery(1000)
    Rig(planner, skills, Hands(skills, 0.5), config=AgentConfig(max_replans=1),
        ports={'memory': FailureMemory(tmp_path / 'm.db')}).run()
    context = planner.requests[1].context
    assert context['similar_situations'] and 'error_analysis' not in context


def test_how_far_something_is_pushed_is_never_changed_by_memory(tmp_path):
    memory = FailureMemory(tmp_path / 'm.db')
    push_left = step('push', object='red_cube', direction='left', distance=0.05)
    skill = find_spec(SPECS, push_left.skill)
    memory.learn(
        build_situation(push_left, scene(), skill), Fix('farther', {'distance': 0.3}), True
    )
    rig = Rig(FakePlanner(steps(push_left)), FakeSkills(), FakePerception(scene()),
              ports={'reflector': RuleReflector(), 'memory': memory})
    rig.run()
    assert [s.args['distance'] for s in rig.skills.executed] == [0.05]


def test_of_what_is_remembered_only_what_the_skill_allows_is_used(tmp_path):
    memory = FailureMemory(tmp_path / 'm.db')
    evil = Fix('evil', {'object': 'knife', 'force': 60, 'speed': 40})
    memory.learn(build_situation(step(), scene(), PICK), evil, True)
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), FakeSkills(),
              FakePerception(scene(), scene(held='red_cube')), ports={'memory': memory})
    assert rig.run().success
    assert [dict(s.args) for s in rig.skills.executed] == [{'object': 'red_cube', 'force': 60}]


def test_memory_does_not_raise_a_speed_that_a_person_lowered(tmp_path):
    pick, memory = find_spec(SPECS, 'pick'), FailureMemory(tmp_path / 'memory.db')
    slipped = Attempt(0, 'pick', {'object': 'red_cube'}, 'grasp_slipped', 'it slipped')
    for _ in range(5):
        memory.learn(build_situation(step(), scene(), pick, slipped),
                     Fix('firmer', {'force': 60, 'speed': 0.8}), True)
    setup = edited_plan(Editor('slower', 'y', 'y', 'y'), steps(step(), goals=[HOLDING]),
                ports={'memory': memory})
    assert setup.run().success
    assert [s.args for s in setup.skills.executed] == [
        {'object': 'red_cube', 'speed': 0.5, 'force': 60}]


def advised(tmp_path, *results, cause='') -> Rig:
    """A pick for which memory advises a side grasp that helped once against `cause`."""
    memory = FailureMemory(tmp_path / 'm.db')
    memory.learn(replace(build_situation(step(), scene(), PICK), cause=cause),
                 Fix('from the side', {'grasp': 'side'}), True)
    return Rig(FakePlanner(steps(step(), goals=[HOLDING])), FakeSkills(*results),
               FakePerception(*[scene()] * (len(results) + 1), scene(held='red_cube')),
               ports={'reflector': RuleReflector(), 'memory': memory})


NOT_OFFERED = failed(Reason.PRECONDITION_FAILED, 'it offers no side grasp',
                     FailedStage.PRECONDITION)


@pytest.mark.parametrize('failure', [NOT_OFFERED, TOUCHED])
@pytest.mark.parametrize('cause', ['', 'unexpected_contact', 'grasp_missed'])
def test_advice_that_failed_once_is_dropped_in_this_task(tmp_path, failure, cause):
    rig = advised(tmp_path, failure, failure, succeeded(), cause=cause)
    rig.run()
    used = [s.args.get('grasp') for s in rig.skills.executed]
    assert used[0] == 'side' and 'side' not in used[1:]
