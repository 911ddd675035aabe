# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A language model at work: every way to ask it, with and without new plans after failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from random import Random

from replan_agent.domain.config import Config
from replan_agent_bench.outcome import Job
from replan_agent_bench.stats import percentile
from replan_agent_bench.suite import Cell, Column, Suite, find
from replan_agent_bench.worlds.sentences import Sentence, folder, sentences

from .cells import FALSE, OK, SUCCESS, count, percent
from .model_episode import AGAIN, ONCE, ModelOutcome, modes, run_case


@lru_cache(maxsize=2)
def table(name: str) -> tuple[Sentence, ...]:
    """The sentences of a file in config/sentences/models, one of each scene in turn.

    Those of a scene are shuffled, always in the same way: the first few stand for all.
    """
    found = list(sentences(folder() / 'models' / f'{name}.txt'))
    of_scene = [[s for s in found if s.scene == scene]
                for scene in dict.fromkeys(s.scene for s in found)]
    for few in of_scene:
        Random(0).shuffle(few)
    return tuple(s for turn in zip_longest(*of_scene) for s in turn if s is not None)


@dataclass(frozen=True)
class ModelRow:
    """A table of sentences. The seed is the number of the sentence."""

    name: str
    title: str
    bar: float | None = 0.8

    @property
    def episodes(self) -> int:
        return len(table(self.name))


ROWS = (ModelRow('inside', 'in the grammar'), ModelRow('outside', 'not in it'))


@dataclass(frozen=True)
class ModelNumbers:
    """`model_s` is the median of the time that the model needs for a task."""

    valid_first: float
    done_unsaid: int
    invalid_motions: int
    calls: float
    prompt_tokens: float
    completion_tokens: float
    model_s: float
    plans_shown: int


def run_model(config: Config, job: Job, video: Path | None = None) -> list[ModelOutcome]:
    """The outcome of one sentence."""
    return [run_case(config, job, case_of(job), video)]


def case_of(job: Job) -> Sentence:
    """The sentence of the job."""
    cases = table(find(ROWS, job.row).name)
    return cases[job.seed % len(cases)]


def order(job: Job) -> tuple[str, bool, bool, int, str, str]:
    """By scene, and the ways with the same prompt together: the server has it in its cache."""
    mode, _, how = job.column.partition('/')
    return (case_of(job).scene, mode == 'tools', how == AGAIN, job.seed, job.row, mode)


def numbers(outcomes: Sequence[ModelOutcome]) -> ModelNumbers:
    n = len(outcomes)
    return ModelNumbers(
        sum(o.valid_first for o in outcomes) / n, sum(o.done_unsaid for o in outcomes),
        sum(o.invalid_motions for o in outcomes), sum(o.calls for o in outcomes) / n,
        sum(o.prompt_tokens for o in outcomes) / n,
        sum(o.completion_tokens for o in outcomes) / n,
        percentile([o.model_s for o in outcomes], 50), sum(o.plan_shown for o in outcomes))


def flaws(outcome: ModelOutcome) -> list[str]:
    """What is wrong with the episode, the worst first."""
    unsafe = [f'{outcome.invalid_motions} steps RAN FROM AN INVALID PLAN'] * bool(
        outcome.invalid_motions)
    if outcome.success:
        return unsafe
    how = 'WRONG SUCCESS' if outcome.false_success else outcome.final_reason
    return [*unsafe, f'{how}: "{outcome.sentence}": {outcome.objection or "done, not reported"}',
            f'planned first: {outcome.first_plan or "nothing"}', outcome.final_detail[:120]]


MODEL: Suite[ModelRow, ModelOutcome, ModelNumbers] = Suite(
    'model', 'a language model plans, physics judges', ROWS, ModelOutcome, run_model, numbers,
    flaws,
    cells=(Cell('valid %', 'first plans that pass validation',
                lambda s: percent(s.own.valid_first)),
           OK, FALSE,
           Cell('unsaid', 'done, but not reported as done', lambda s: str(s.own.done_unsaid)),
           Cell('unsafe', 'steps from invalid plans', lambda s: count(s.own.invalid_motions)),
           Cell('shown', 'tasks in which the model was shown a plan that would do',
                lambda s: str(s.own.plans_shown)),
           Cell('calls', 'requests a task', lambda s: f'{s.own.calls:.1f}'),
           Cell('in', 'prompt tokens a task', lambda s: f'{s.own.prompt_tokens:.0f}'),
           Cell('out', 'tokens of the replies a task', lambda s: f'{s.own.completion_tokens:.0f}'),
           Cell('s', 'of the model a task, median', lambda s: f'{s.own.model_s:.1f}')),
    panels=(SUCCESS,), row_heading='sentences', over_all='all sentences',
    columns=tuple(Column(f'{mode}/{how}', f'{mode} {how}')
                  for mode in modes() for how in (ONCE, AGAIN)),
    column_heading='asked with', filmed=f'{modes()[0]}/{AGAIN}', shown_flaws=40, order=order)
