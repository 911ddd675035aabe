# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The model that the agent node itself asks: recorded and replayed as the settings say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from replan_agent_bench.scripted.scripted_model import scripted_model
from replan_agent_bench.scripted.scripted_server import MODEL
from rig import overrides, spun
from stand_ins import StandInPerception, StandInSkills

from replan_agent.domain.skill import Reason, failed
from replan_agent.domain.task_result import TaskResult
from replan_agent.ros.messages.message_table import from_msg
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode


def reflected(planner: str = 'stub', **vlm: str) -> TaskResult:
    """A task whose step fails, explained by the model that the settings name."""
    model = {'planner': planner, **{f'vlm__{name}': value for name, value in vlm.items()}}
    agent = AgentNode(parameter_overrides=overrides(
        agent__reflection='model', agent__local_planning=False, agent__max_step_retries=0,
        agent__max_replans=1, **model))
    missed = StandInSkills(lambda call: failed(Reason.GRASP_MISSED, 'the pads closed on nothing'))
    plans = PlannerNode(parameter_overrides=overrides(**model))
    with spun(agent, plans, StandInPerception(), missed) as caller:
        return from_msg(TaskResult, caller.run('pick up the red cube').result)


@pytest.fixture
def recording(ros: Any, tmp_path: Path) -> tuple[Path, TaskResult]:
    """The setting of a recording, and the task that it was made with."""
    file = tmp_path / 'model.json'
    with scripted_model() as server:
        return file, reflected(base_url=server.base_url, model=MODEL, record=str(file))


def tools_asked_with(recording: Path) -> list[list[str]]:
    """The names of the tools in each request."""
    exchanges = json.loads(recording.read_text('utf-8'))['exchanges']
    return [[tool['name'] for tool in exchange['request']['tools']] for exchange in exchanges]


def test_every_exchange_is_recorded(recording: tuple[Path, TaskResult]) -> None:
    file, result = recording
    assert result.api_calls == 1
    assert tools_asked_with(file.with_name('model.agent_node.json')) == [['explain_failure']]


def test_planner_and_agent_keep_separate_recordings(ros: Any, tmp_path: Path) -> None:
    file = tmp_path / 'model.json'
    with scripted_model() as server:
        result = reflected('vlm', base_url=server.base_url, model=MODEL, record=str(file))
    plans, reflections = (tools_asked_with(tmp_path / name)
                          for name in ('model.json', 'model.agent_node.json'))
    assert ['explain_failure'] in reflections and ['explain_failure'] not in plans
    assert plans and len(plans) + len(reflections) == result.api_calls


def test_a_recording_answers_in_place_of_the_model(recording: tuple[Path, TaskResult]) -> None:
    file, live = recording
    again = reflected(replay=str(file))  # no server, no model named
    assert again.api_calls == 1
    assert [r.root_cause for r in again.reflections] == [r.root_cause for r in live.reflections]


def test_a_recording_that_is_not_there_refuses_the_task(ros: Any, tmp_path: Path) -> None:
    agent = AgentNode(parameter_overrides=overrides(agent__reflection='model',
                                                    vlm__replay=str(tmp_path / 'none.json')))
    with spun(agent) as caller:
        result = caller.run('pick up the red cube').result
    assert result.error_code == result.REFUSED
    assert 'none.agent_node.json' in result.error_msg
