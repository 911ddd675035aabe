"""The model that the agent node itself asks: recorded and replayed as the settings say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rig import overrides, spun
from stand_ins import StandInPerception, StandInSkills

from replan_agent.domain.skill import Reason, failed
from replan_agent.domain.task_result import TaskResult
from replan_agent.ros.messages.call_messages import task_result_from_msg
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.vlm.scripted.scripted_server import MODEL, FakeModelServer


def reflected(**vlm: str) -> TaskResult:
    """A task whose step fails, explained by the model that the settings name."""
    model = {f'vlm__{name}': value for name, value in vlm.items()}
    agent = AgentNode(parameter_overrides=overrides(
        agent__reflection='model', agent__local_planning=False, agent__max_step_retries=0,
        agent__max_replans=1, **model))
    missed = StandInSkills(lambda call: failed(Reason.GRASP_MISSED, 'the pads closed on nothing'))
    with spun(agent, PlannerNode(), StandInPerception(), missed) as caller:
        return task_result_from_msg(caller.run('pick up the red cube').result)


@pytest.fixture
def recording(ros: Any, tmp_path: Path) -> tuple[Path, TaskResult]:
    """A recording, and the task that it was made with."""
    file = tmp_path / 'model.json'
    with FakeModelServer() as server:
        return file, reflected(base_url=server.base_url, model=MODEL, record=str(file))


def test_every_exchange_is_recorded(recording: tuple[Path, TaskResult]) -> None:
    file, result = recording
    exchanges = json.loads(file.read_text('utf-8'))['exchanges']
    assert len(exchanges) == result.api_calls == 1
    assert 'explain_failure' in json.dumps(exchanges[0]['request']['tools'])


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
    assert 'none.json: cannot be read as a recording' in result.error_msg
