# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sentences of the tables on real physics, judged by true poses, not by the agent's own goals."""

from __future__ import annotations

import pytest
from replan_agent_bench.command import bench_settings
from replan_agent_bench.outcome import Job
from replan_agent_bench.suites.language_suite import PHYSICS, ROWS, run_sentence
from replan_agent_bench.worlds.expectation import mismatch
from replan_agent_bench.worlds.sentence_scenes import SCENES
from replan_agent_bench.worlds.sentences import Sentence

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanRequest
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

SKILLS = standard_skills().specs()
EACH = 2  # of each kind and scene
MOST_PARTS, MOST_WORDS = 2, 6  # of what must be true: few steps
# Something is held at first: that cannot be built. The things of `kitchen` are only boxes here.
NOT_RUN = frozenset({'held', 'kitchen'})
# Long tables of spoken sentences, and of later authors: they are read in test/tasks.
ONLY_READ = ('spoken', 'stranger_fifth', 'stranger_sixth', 'stranger_seventh', 'variants_fifth',
             'constructions', 'remarks')
HARD = frozenset({
    'push the red cube towards the bin',  # the cylinder is in the way, and the agent says so
    'arrange the cubes in a line',  # ten steps
    # Local planning moves neighbours out of the way, and the judge allows only what was named.
    'Build a tower from the green, the yellow and the red cube, green at the very bottom',
    'pick up the cube between the green one and the purple one',
    'stack red on green on yellow',
    'put the cube in the centre on top of the cube on the left',
    'put the red cube 15 cm to the right',
    'pick the middle cube',
    'put the middle cube on top of the blue one',
    'pick up the cube in the middle',
    'put the stapler at the right edge of the table',
    'transfer the contents of the bin to the bowl',  # a ball in the bowl gives way
    'shift the white plate 5 cm to the left',  # too wide for the gripper, and the agent says so
    # The basket is at the edge of the table, and the hand has no room between the two.
    'Put the stapler on the right of the wastebasket',
    'push the red ball towards me',  # it rolls on, and the agent says so
})


def is_read(case: Sentence) -> bool:
    """Whether it is read as meant; `bench --suite language` counts those that are not."""
    planner = SearchPlanner(build_reader(case.viewpoint))
    reply = planner.plan(PlanRequest(case.text, SCENES[case.scene], SKILLS), Context())
    return mismatch(case, reply, SKILLS) == ''


def few_steps() -> list[Job]:
    """Sentences of every kind and scene that need few steps."""
    jobs: list[Job] = []
    taken: dict[tuple[str, str], int] = {}
    for row in ROWS:
        for number, case in enumerate(row.sentences):
            key = row.name, case.scene
            if (case.scene in NOT_RUN or case.is_refused or case.text in HARD
                    or case.table.startswith(ONLY_READ)
                    or len(case.parts) > MOST_PARTS or len(case.wanted.split()) > MOST_WORDS
                    or case.wanted == 'nothing' or taken.get(key, 0) >= EACH
                    or not is_read(case)):
                continue
            taken[key] = taken.get(key, 0) + 1
            jobs.append(Job('language', row.name, number, PHYSICS))
    return jobs


JOBS = few_steps()
OFTEN = 4  # one of so many runs for every change


def title(job: Job) -> str:
    case = next(r for r in ROWS if r.name == job.row).sentences[job.seed]
    return f'{case.scene}: {case.text}'


@pytest.mark.parametrize('job', [
    pytest.param(job, id=title(job), marks=[pytest.mark.release] if number % OFTEN else [])
    for number, job in enumerate(JOBS)])
def test_the_world_is_as_the_sentence_says(job: Job) -> None:
    [outcome] = run_sentence(bench_settings(), job)
    assert outcome.success and outcome.claimed, f'{outcome.objection}; {outcome.final_detail}'


def test_there_are_enough_of_them() -> None:
    assert len(JOBS) >= 60 and {job.row for job in JOBS} == {r.name for r in ROWS} - {'refused'}
