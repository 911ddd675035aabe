# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""LIBERO's world behind our ports. Needs LIBERO, so it is not part of `make test`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('libero.libero', reason='LIBERO is not installed: make libero')

from replan_agent_bench.outcome import Job  # noqa: E402
from replan_agent_libero.suite import TRUTH, run_task, settings  # noqa: E402
from replan_agent_libero.tasks import SUITES, task_named, tasks_of  # noqa: E402

from replan_agent import ConfigError, RobotParts, load_config  # noqa: E402
from replan_agent.app.build.robot_cell import build_cell  # noqa: E402


def cell_of(task, state=0):
    config = replace(settings(load_config(), TRUTH), robot_source='libero')
    return build_cell(RobotParts(config, task, state))


def test_each_suite_has_its_tasks_with_their_words():
    assert [len(tasks_of(suite)) for suite in SUITES] == [10] * 4
    assert task_named('libero_object/0').sentence == (
        'Pick the alphabet soup and place it in the basket')


@pytest.mark.parametrize('name', ['libero_object/10', 'libero_object', 'libero_object/x'])
def test_a_wrong_task_is_answered_with_the_right_ones(name):
    with pytest.raises(ConfigError, match='libero_object/0 to libero_object/9'):
        cell_of(name)


def test_an_unknown_suite_is_answered_with_the_known_ones():
    with pytest.raises(ConfigError, match='libero_objects.*choose from: .*libero_object'):
        cell_of('libero_objects/0')


def test_a_start_depends_only_on_its_number():
    def begun(state):
        cell = cell_of('libero_spatial/0', state)
        found = np.concatenate([cell.world.data.qpos, cell.world.model.body_pos.ravel()])
        for _ in range(20):
            cell.world.advance(closing=1.0)
        cell.close()
        return found

    first, other, again = begun(3), begun(4), begun(3)
    assert np.array_equal(first, again) and not np.allclose(first, other)


def test_the_things_stand_on_the_table():
    cell = cell_of('libero_spatial/0')
    things = {o.name: o for o in cell.true_objects()}
    table = things['table'].top_z
    for name in ('akita_black_bowl_1', 'plate', 'ramekin', 'cookies_box'):
        assert things[name].bottom_z == pytest.approx(table, abs=0.003), name
    assert not things['stove'].movable
    cell.close()


@pytest.mark.parametrize('row', ['libero_object/0', 'libero_spatial/4', 'libero_goal/0'])
def test_a_task_is_done_and_libero_says_so(row):
    outcome, = run_task(load_config(), Job('libero', row, 0, TRUTH))
    assert outcome.success and outcome.claimed, outcome
    assert outcome.first_s is not None and outcome.in_limit
