# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent mcp` over stdio, driven by the official client: real processes, real physics."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_clients import (
    RED_TO_BOWL,
    UP_AND_DOWN,
    asked,
    in_motion,
    joints,
    refused,
    resource,
    stdio,
    talk,
)
from replan_agent_page.mcp_server.arm_server import arm_server
from replan_agent_page.serve.desk import Desk
from replan_agent_page.serve.sim_station import SimStation

from replan_agent import Simulation

PNG = b'\x89PNG'


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / 'runs'


def talk_here(approver: str, runs: Path, conversation: Callable[[Client], Any]) -> None:
    """A conversation with a server in this process, which starts sooner."""
    desk = Desk(SimStation(Simulation('tabletop', approver=approver)), runs)
    try:
        talk(arm_server(desk), conversation)
    finally:
        desk.close()


@pytest.mark.gl
def test_an_assistant_looks_asks_for_a_task_and_reads_its_record(runs: Path) -> None:
    async def conversation(client: Client) -> None:
        look = await client.call_tool('observe', {})
        text, picture = look.content
        assert base64.b64decode(picture.data).startswith(PNG)
        assert 'red_cube' in text.text and look.structured_content['seen_now']
        assert {'pick', 'home'} <= {s['name'] for s in (await asked(client, 'skills'))['skills']}
        heard: list[str] = []

        async def hear(done: float, total: float | None, message: str | None) -> None:
            heard.append(message or '')

        answer = await client.call_tool('say', {'words': 'put the red cube in the bowl',
                                                'wait_s': 120}, progress_callback=hear)
        done = answer.structured_content
        assert done['success'] and done['goal_verified'] and not done['running']
        assert done['approvals'] == [{'plan': 1, 'approved': True, 'by': 'auto', 'detail': ''}]
        assert any('pick' in message for message in heard)
        assert (await asked(client, 'why_did_it_fail'))['why'] == 'it did not fail'
        (listed,) = await resource(client, 'replan://runs')
        here = f'replan://runs/{listed["run"]}'
        assert (await resource(client, f'{here}/result.json'))['success']
        assert '"task_finished"' in await resource(client, f'{here}/events.jsonl')
        assert (await resource(client, f'{here}/plans/1.json'))['version'] == 1

    talk(stdio(runs=runs), conversation)


def test_an_answer_moves_what_is_meant_and_a_question_moves_nothing(runs: Path) -> None:
    async def conversation(client: Client) -> None:
        question = await asked(client, 'say', words='put the cube in the bowl')
        assert question['asks'] and 'red_cube' in question['said'] and 'success' not in question
        assert (await asked(client, 'say', words='yes'))['asks']
        done = await asked(client, 'say', words='the left one', wait_s=120)
        assert done['success'] and 'put the red cube in the bowl' in done['said']
        told = await asked(client, 'say', words='what is in the bowl?')
        assert told['said'] == 'I see the red cube.' and 'success' not in told
        assert (await asked(client, 'why_did_it_fail'))['why'] == 'it did not fail'
        assert len(await resource(client, 'replan://runs')) == 1

    talk_here('auto', runs, conversation)


def test_a_denied_task_moves_nothing(runs: Path) -> None:
    async def conversation(client: Client) -> None:
        before = await joints(client)
        for answer in (await asked(client, 'say', words='pick up the red cube'),
                       await asked(client, 'run_plan', steps=RED_TO_BOWL)):
            assert answer['final_reason'] == 'approval_denied' and answer['steps'] == []
        assert (await asked(client, 'why_did_it_fail'))['denied']
        assert await joints(client) == before

    talk_here('none', runs, conversation)


HOSTILE: list[list[dict[str, Any]]] = [
    [{'skill': 'fly'}],
    [{'skill': '__import__', 'args': {'name': 'os'}}],
    [{'skill': 'home'}, {'skill': 'approve', 'args': {'plan': 1}}],
    [{'skill': 'pick', 'args': {'object': 'the_moon'}}],
    [{'skill': 'pick', 'args': {'object': 'red_cube', 'approved': True}}],
    [{'skill': 'pick', 'args': {'object': ['red_cube']}}],
    [{'skill': 'pick', 'args': {}}],
    [*RED_TO_BOWL[:1], {'skill': 'place_at', 'args': {'x': 5.0, 'y': 0.0}}],
    [*RED_TO_BOWL[:1], {'skill': 'place_at', 'args': {'x': -0.9, 'y': 0.0}}],
    [{'skill': 'push', 'args': {'object': 'red_cube', 'direction': 'away', 'distance': 50}}],
    [{'skill': 'place_in', 'args': {'target': 'bowl'}}],
]


def test_a_hostile_plan_moves_nothing_even_if_all_plans_are_approved(runs: Path) -> None:
    async def conversation(client: Client) -> None:
        before = await joints(client)
        for plan in HOSTILE:
            answer = await asked(client, 'run_plan', steps=plan)
            assert not answer['success'] and answer['steps'] == [], plan
            assert answer['approvals'] == [], plan  # nobody is even asked
        for form in ([], ['home'], [{'skill': 'home', 'approved': True}], [{'skill': 7}],
                     [{'skill': 'home'}] * 201):
            assert 'steps' in await refused(client, 'run_plan', steps=form)
        assert await joints(client) == before

    talk_here('auto', runs, conversation)


def test_a_stop_in_motion_ends_the_task_and_lasts(runs: Path) -> None:
    async def conversation(client: Client) -> None:
        await asked(client, 'run_plan', steps=UP_AND_DOWN, wait_s=0)
        await in_motion(client)
        answer = await asked(client, 'stop', reason='a hand is on the table')
        assert answer['task_ended'] and answer['final_reason'] == 'cancelled'
        assert len(answer['steps']) < len(UP_AND_DOWN)
        stands = await joints(client)
        for tool, given in (('say', {'words': 'go home'}),
                            ('run_plan', {'steps': [{'skill': 'home'}]})):
            assert 'a hand is on the table' in await refused(client, tool, **given)
        assert 'reset_stop' not in [tool.name for tool in (await client.list_tools()).tools]
        assert 'Unknown tool' in await refused(client, 'reset_stop')
        assert await joints(client) == stands

    async def after_a_restart(client: Client) -> None:
        assert 'a hand is on the table' in await refused(client, 'say', words='go home')

    talk(stdio(runs=runs), conversation)
    talk_here('auto', runs, after_a_restart)


def test_a_client_that_leaves_ends_its_task(runs: Path) -> None:
    async def conversation(client: Client) -> None:
        await asked(client, 'run_plan', steps=UP_AND_DOWN, wait_s=0)
        await in_motion(client)

    talk(stdio(runs=runs), conversation)
    (result,) = runs.glob('*/result.json')
    assert '"cancelled"' in result.read_text('utf-8')
