# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One task at a time, and a stop that nothing passes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from replan_agent_page.serve.desk import Busy, Desk
from replan_agent_page.serve.station import Order, TaskRefused
from stand_in_station import WAIT_S, StandInStation


@pytest.fixture
def station() -> StandInStation:
    return StandInStation()


@pytest.fixture
def desk(station: StandInStation, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(station, tmp_path)
    yield desk
    station.finish.set()
    desk.close()


def test_a_task_runs_to_its_end_in_another_thread(desk: Desk, station: StandInStation) -> None:
    job = desk.start(Order('go'))
    assert station.started.wait(WAIT_S) and desk.running is job
    station.finish.set()
    assert job.done.wait(WAIT_S)
    assert job.result == {'success': True, 'final_detail': ''} and desk.running is None
    assert list(job.recent) == ['moving']


def test_a_second_task_is_told_which_one_is_running(desk: Desk, station: StandInStation) -> None:
    first = desk.start(Order('go home'))
    with pytest.raises(Busy, match=f"carries out 'go home' .*{first.name}"):
        desk.start(Order('something else'))
    station.finish.set()
    assert first.done.wait(WAIT_S)
    assert [order.task for order in station.ran] == ['go home']


def test_a_stop_ends_the_running_task_and_refuses_the_next(desk: Desk, station: StandInStation
                                                           ) -> None:
    job = desk.start(Order('go'))
    assert station.started.wait(WAIT_S)
    assert desk.stop('the cat jumped in') == (job, '')
    assert job.done.wait(WAIT_S) and job.result is not None
    assert job.result['final_detail'] == 'stopped: the cat jumped in'
    with pytest.raises(TaskRefused, match='the cat jumped in'):
        desk.start(Order('again'))
    assert len(station.ran) == 1


def test_a_stop_that_the_arm_does_not_hear_ends_the_task_and_lasts_all_the_same(
    desk: Desk, station: StandInStation
) -> None:
    station.stop_problem = 'skill_node is not there'
    job = desk.start(Order('go'))
    assert desk.stop('now') == (job, 'skill_node is not there')
    assert job.done.wait(WAIT_S)
    with pytest.raises(TaskRefused, match='stopped: now'):
        desk.start(Order('again'))


def test_a_reset_lets_the_next_task_start(desk: Desk, station: StandInStation) -> None:
    desk.stop('now')
    assert desk.reset() == 'released; it was stopped: now'
    station.finish.set()
    assert desk.start(Order('go')).done.wait(WAIT_S)


def test_a_stop_lasts_if_the_arm_itself_cannot_be_reset(desk: Desk, station: StandInStation
                                                        ) -> None:
    desk.stop('now')
    station.stop_problem = 'still moving'
    with pytest.raises(TaskRefused, match='still moving'):
        desk.reset()
    assert desk.refusal().startswith('stopped: now; a person allows motion again with: reset it')


def test_a_stop_without_a_task_is_latched_too(desk: Desk, station: StandInStation) -> None:
    assert desk.stop('first') == (None, '')
    with pytest.raises(TaskRefused):
        desk.start(Order('go'))
    assert station.ran == []


@pytest.mark.parametrize(('error', 'said'), [
    (TaskRefused('no planner'), 'no planner'),
    (ZeroDivisionError('division by zero'), 'internal error: division by zero')])
def test_a_task_that_breaks_says_why_and_the_next_can_start(
    desk: Desk, station: StandInStation, error: Exception, said: str
) -> None:
    station.broken = error
    job = desk.start(Order('go'))
    assert job.done.wait(WAIT_S) and job.result is None and job.problem == said
    station.broken = None
    station.finish.set()
    assert desk.start(Order('go')).done.wait(WAIT_S)


def test_nobody_looks_while_a_task_runs(desk: Desk, station: StandInStation) -> None:
    before, is_new = desk.look()
    assert is_new
    desk.start(Order('go'))
    assert desk.look() == (before, False)


def test_the_end_of_the_server_ends_the_task_and_frees_the_arm(tmp_path: Path) -> None:
    station = StandInStation()
    desk = Desk(station, tmp_path)
    job = desk.start(Order('go'))
    desk.close()
    assert job.result is not None and job.result['final_detail'] == 'the server ends'
    assert station.closed


def test_only_the_last_jobs_are_remembered(desk: Desk, station: StandInStation,
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('replan_agent_page.serve.desk.MOST_JOBS', 2)
    station.finish.set()
    jobs = []
    for task in 'abc':
        jobs.append(desk.start(Order(task)))
        assert jobs[-1].done.wait(WAIT_S)
    assert desk.job(jobs[0].name) is None
    assert desk.job(jobs[1].name) is jobs[1] and desk.job() is jobs[2]


def test_a_reply_without_a_task_leaves_no_folder_and_jobs_have_names_of_their_own(
        desk: Desk, station: StandInStation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(station, 'run', lambda *_: {'said': 'I see nothing.', 'asks': False})
    jobs = [desk.start(Order('what do you see?')) for _ in range(2)
            if not desk.running or desk.running.done.wait(WAIT_S)]
    assert all(job.done.wait(WAIT_S) for job in jobs)
    assert len({job.name for job in jobs}) == 2 and not any(j.folder.exists() for j in jobs)
