# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suite of language models: its sentences, what counts, and runs that go on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from replan_agent_bench.outcome import CRASHED, Job
from replan_agent_bench.running.kept import kept, read
from replan_agent_bench.suite import Column
from replan_agent_bench.suites.model_episode import (
    Counted,
    ModelOutcome,
    Watched,
    modes,
    settings_of,
)
from replan_agent_bench.suites.model_suite import MODEL, ROWS, case_of, flaws, numbers, table
from replan_agent_bench.worlds.expectation import mismatch
from replan_agent_bench.worlds.sentence_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.app.cli.main import WRONG_USE, main
from replan_agent.domain.chat import ChatReply
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.skill import succeeded
from replan_agent.domain.task_result import StepRecord
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

SKILLS = standard_skills().specs()
OUTCOME = ModelOutcome('inside', 0, True, '', True, 'plan_complete', '', 'tools/once',
                       sentence='tabletop: put it there', valid_first=True, calls=1,
                       prompt_tokens=100, completion_tokens=10, model_s=2.0)


def title(case):
    return f'{case.scene}: {case.text}'


def understood(case):
    return SearchPlanner(build_reader()).plan(
        PlanRequest(case.text, SCENES[case.scene], SKILLS), Context())


@pytest.mark.parametrize('case', table('inside'), ids=title)
def test_the_grammar_understands_a_sentence_inside_it(case):
    assert mismatch(case, understood(case), SKILLS) == ''


@pytest.mark.parametrize('case', table('outside'), ids=title)
def test_the_grammar_makes_no_goal_of_a_sentence_outside_it(case):
    assert not understood(case).goals


def test_the_first_sentences_of_a_row_are_of_all_scenes():
    for name in ('inside', 'outside'):
        assert len({case.scene for case in table(name)[:4]}) == 4
    assert len(table('inside')) + len(table('outside')) >= 60


def test_every_way_to_ask_is_measured_with_and_without_new_plans():
    assert [c.name for c in MODEL.columns] == [
        f'{mode}/{how}' for mode in modes() for how in ('once', 'again')]


def test_the_settings_give_a_slow_model_time_and_leave_nothing_to_chance():
    config = settings_of(Config(), modes()[0])
    assert config.vlm.temperature == 0 and not config.vlm.images
    assert config.vlm.timeout == config.agent.replan_timeout == 3600


def test_a_task_that_is_done_but_not_reported_is_no_success_and_is_counted():
    unsaid = replace(OUTCOME, success=False, claimed=False, done_unsaid=True)
    found = numbers([OUTCOME, unsaid])
    assert found.done_unsaid == 1 and found.valid_first == 1 and found.calls == 1
    assert 'done, not reported' in flaws(unsaid)[0] and not flaws(OUTCOME)


def test_a_wrong_success_and_an_invalid_motion_are_named_first():
    wrong = replace(OUTCOME, success=False, objection='not so: in red_cube bowl')
    assert flaws(wrong)[0].startswith('WRONG SUCCESS')
    assert 'INVALID PLAN' in flaws(replace(OUTCOME, invalid_motions=2))[0]


def test_steps_of_a_plan_that_validation_refuses_are_counted_if_they_ran():
    bad = (Step(1, 'pick', {'object': 'unicorn'}),)
    scene = SCENES['tabletop']

    class Careless:
        name = 'careless'

        def plan(self, request, ctx):
            return PlanReply(ReplyKind.STEPS, bad)

    class Result:
        plans = (Plan(1, 'task', bad, (), PlanCause.INITIAL, None, scene.scene_id, 'careless'),)
        steps = (StepRecord(0, 1, bad[0], succeeded(), 0.1),)

    watched = Watched(Careless(), Config())
    watched.plan(PlanRequest('task', scene, SKILLS), Context())
    assert watched.verdicts == [(bad, False)] and watched.ran_unchecked(Result()) == 1


def runner_of(ran):
    def run(config, jobs):
        for job in jobs:
            ran.append(job.seed)
            yield [replace(OUTCOME, seed=job.seed, column=job.column,
                           final_reason=CRASHED if job.seed == 1 else 'plan_complete')]

    return run


def test_a_run_goes_on_with_what_is_missing_or_crashed(tmp_path):
    file, ran = tmp_path / 'kept.jsonl', []
    jobs = [Job('model', 'inside', seed, 'tools/once') for seed in range(3)]
    first = [o for found in kept(runner_of(ran), MODEL, file)(Config(), jobs[:2]) for o in found]
    assert ran == [0, 1] and len(first) == 2
    with file.open('a') as lines:
        lines.write('{"row": "ins')  # the process was killed in the middle of a line
    second = [o.seed for found in kept(runner_of(ran), MODEL, file)(Config(), jobs) for o in found]
    assert ran == [0, 1, 1, 2] and second == [0, 1, 2]
    assert [o.seed for o in read(MODEL, file)] == [0, 1, 1, 2]


def test_a_job_that_is_only_partly_kept_runs_again_and_counts_once(tmp_path):
    file, ran = tmp_path / 'kept.jsonl', []
    suite = replace(MODEL, in_order=True, columns=(Column('a'), Column('b')))

    def run(config, jobs):
        for job in jobs:
            ran.append(job.seed)
            yield [replace(OUTCOME, seed=job.seed, column=column) for column in 'ab']

    jobs = [Job('model', 'inside', seed) for seed in range(2)]
    list(kept(run, suite, file)(Config(), jobs))
    file.write_text('\n'.join(file.read_text().splitlines()[:-1]))  # one column of the second
    found = [o for part in kept(run, suite, file)(Config(), jobs) for o in part]
    assert ran == [0, 1, 1]
    assert sorted((o.seed, o.column) for o in found) == [(0, 'a'), (0, 'b'), (1, 'a'), (1, 'b')]


def test_a_file_that_was_measured_with_other_settings_is_refused_by_their_names(tmp_path):
    file, config = tmp_path / 'kept.jsonl', Config()
    jobs = [Job('model', 'inside', 0, 'tools/once')]
    list(kept(runner_of([]), MODEL, file)(config, jobs))
    elsewhere = replace(config, vlm=replace(config.vlm, base_url='http://127.0.0.1:1/v1'))
    list(kept(runner_of([]), MODEL, file)(elsewhere, jobs))
    other = replace(config, vlm=replace(config.vlm, model='other', max_tokens=7))
    with pytest.raises(ConfigError, match=r'vlm\.max_tokens .*vlm\.model .*other'):
        list(kept(runner_of([]), MODEL, file)(other, jobs))


def test_parts_that_were_measured_into_several_files_are_shown_together(tmp_path):
    files, ran = (tmp_path / 'one.jsonl', tmp_path / 'two.jsonl'), []
    jobs = [Job('model', 'inside', seed, 'tools/once') for seed in (0, 2, 3)]
    for file, job in zip(files, jobs):
        list(kept(runner_of(ran), MODEL, file)(Config(), [job]))
    before = [file.read_text() for file in files]
    shown = [o.seed for part in kept(None, MODEL, *files)(Config(), jobs) for o in part]
    assert shown == [0, 2] and [file.read_text() for file in files] == before
    list(kept(runner_of(ran), MODEL, *files)(Config(), jobs))
    assert ran == [0, 2, 3], 'only what is in none of the files runs'


@pytest.mark.parametrize(('modes', 'columns'), [
    (['json'], {'json/once', 'json/again'}), (['json/again', 'tools/once'], {
        'json/again', 'tools/once'})])
def test_one_half_of_a_way_can_be_measured(tmp_path, monkeypatch, modes, columns):
    seen = []
    monkeypatch.setattr('replan_agent_bench.command.processes', lambda count: (
        lambda config, jobs: seen.extend(jobs) or iter(())))
    assert main(['bench', '--suite', 'model', '--model', 'm', '--n', '1', '--modes', *modes]) == 0
    assert {job.column for job in seen} == columns


def test_jobs_are_in_the_order_in_which_a_server_reads_least_again():
    scenes = [case_of(job).scene for job in MODEL.jobs(ROWS, None, 0)]
    assert len([a for a, b in zip(scenes, scenes[1:]) if a != b]) == 3


def test_a_question_that_was_answered_is_not_asked_again_but_counted():
    asked = []

    class Model:
        name = 'm'

        def complete(self, messages, tools, ctx, form=None):
            asked.append(messages)
            return ChatReply('yes', usage={'prompt_tokens': 10, 'completion_tokens': 2})

    known = {}
    for _ in range(2):
        counted = Counted(Model(), 'http://one', known)
        assert counted.complete(('hello',), (), Context()).text == 'yes'
        assert (counted.calls, counted.tokens['prompt_tokens'], len(asked)) == (1, 10, 1)
        assert counted.seconds > 0
    counted.complete(('hello',), (), Context(), 'another form')
    assert len(asked) == 2
    Counted(Model(), 'http://other', known).complete(('hello',), (), Context())
    assert len(asked) == 3, 'another server'


def test_a_file_of_another_suite_is_refused(tmp_path):
    file = tmp_path / 'kept.jsonl'
    file.write_text('{"row": "cube40"}\n')
    with pytest.raises(ConfigError, match='not the outcomes of the suite model'):
        read(MODEL, file)


@pytest.mark.parametrize(('words', 'said'), [
    (['--suite', 'model'], '--model NAME --base-url URL'),
    (['--suite', 'model', '--model', 'm', '--modes', 'telepathy'], 'telepathy; choose from'),
    (['--suite', 'model', '--model', 'm', '--only-kept'], 'name the files with --keep'),
    (['--suite', 'motion', '--modes', 'tools'], 'only for the suites model')])
def test_wrong_use_is_said_before_anything_runs(capsys, words, said):
    assert main(['bench', *words]) == WRONG_USE
    assert said in capsys.readouterr().err
