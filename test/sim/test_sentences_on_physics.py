"""Sentences of the tables on real physics, judged by true poses, not by the agent's own goals."""

from __future__ import annotations

import pytest

from replan_agent.bench.command import bench_settings
from replan_agent.bench.outcome import Job
from replan_agent.bench.suites.language_suite import PHYSICS, ROWS, run_sentence
from replan_agent.bench.worlds.sentence_scenes import SCENES
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanRequest
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search_planner import SearchPlanner

MOST_STEPS = 4
EACH = 3  # of each kind and scene


def few_steps() -> list[Job]:
    """Sentences of every kind and scene that need few steps."""
    jobs, taken = [], {}
    for row in ROWS:
        for number, case in enumerate(row.sentences):
            key = row.name, case.scene
            if SCENES[case.scene].held or case.is_refused or taken.get(key, 0) >= EACH:
                continue
            request = PlanRequest(case.text, SCENES[case.scene], standard_skills().specs())
            if 0 < len(SearchPlanner(case.viewpoint).plan(request, Context()).steps) <= MOST_STEPS:
                taken[key] = taken.get(key, 0) + 1
                jobs.append(Job('language', row.name, number, PHYSICS))
    return jobs


JOBS = few_steps()


def title(job: Job) -> str:
    case = next(r for r in ROWS if r.name == job.row).sentences[job.seed]
    return f'{case.scene}: {case.text}'


@pytest.mark.parametrize('job', JOBS, ids=title)
def test_the_world_is_as_the_sentence_says(job: Job) -> None:
    [outcome] = run_sentence(bench_settings(), job)
    assert outcome.success and outcome.claimed, f'{outcome.objection}; {outcome.final_detail}'


def test_there_are_enough_of_them() -> None:
    assert len(JOBS) >= 60 and {job.row for job in JOBS} == {r.name for r in ROWS} - {'refused'}
