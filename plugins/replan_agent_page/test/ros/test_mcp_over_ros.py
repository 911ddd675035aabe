# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What `replan-agent mcp --ros` serves: the desk, on the whole graph with the simulated arm."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.node import Node
from replan_agent_page.serve.desk import Busy, Desk, Job
from replan_agent_page.serve.remote_agent import RemoteAgent
from replan_agent_page.serve.ros_station import RosStation
from replan_agent_page.serve.station import Order, TaskRefused
from replan_agent_sim.all_in_one import all_nodes
from replan_agent_sim.sim_messages import rgb_to_msg
from replan_agent_sim.sim_node import SimNode
from rig import WAIT_S, overrides, spun, until
from sensor_msgs.msg import Image
from stand_ins import StandInPerception, StandInSkills
from std_msgs.msg import Header

from replan_agent.agent.task_progress import State
from replan_agent.domain.plan import Step
from replan_agent.record.lost_run import WRITER
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.qos import NEWEST
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.ros.rclpy_tools.waiting import every

PATIENT = Timeouts(appear_timeout=30.0, answer_timeout=30.0, silence_timeout=60.0,
                   observe_timeout=30.0)
STANDSTILL = 0.01  # rad/s
PICK = Step(1, 'pick', {'object': 'red_cube'})


@pytest.fixture
def graph(ros: Any, request: pytest.FixtureRequest, tmp_path: Path
          ) -> Iterator[tuple[Desk, SimNode]]:
    """A desk at the whole graph, and its simulation; tests may give parameters."""
    given = {'scene': 'tabletop', 'perception': 'ground_truth', **getattr(request, 'param', {})}
    nodes = all_nodes(parameter_overrides=overrides(use_sim_time=True, **given))
    with spun(*nodes) as caller:
        desk = Desk(RosStation(RemoteAgent(node=caller, timeouts=PATIENT), None),
                    tmp_path / 'runs')
        yield desk, nodes[0]
        desk.close()


def ended(job: Job) -> dict[str, Any]:
    assert job.done.wait(WAIT_S)
    assert job.result is not None, job.problem
    return dict(job.result)


def joints(sim: SimNode) -> Any:
    return np.round(sim.robot.state().joints, 4)


def test_a_task_runs_and_its_record_is_on_this_machine(graph: tuple[Desk, SimNode]) -> None:
    desk, _ = graph
    look, is_new = desk.look()
    assert is_new and look.scene.get('red_cube') and (look.png or look.no_picture)
    assert 'pick' in [spec.name for spec in desk.station.skills()]
    job = desk.start(Order('pick up the red cube'))
    with pytest.raises(Busy):
        desk.start(Order('go home'))
    result = ended(job)
    assert result['success'] and result['approvals'][0]['approver'] == 'auto'
    assert json.loads((job.folder / 'result.json').read_text())['success']
    events = [json.loads(line) for line in (job.folder / 'events.jsonl').open()]
    assert events[0]['event'] == 'task_started' and events[-1]['event'] == 'task_finished'
    assert events[0]['facts']['task_id'] and WRITER not in events[0]['facts'], (
        'an agent that starts again must not take it for a run of its own')
    assert any('pick' in message for message in job.recent)


@pytest.mark.release  # slow; the page stops in motion in every run
def test_a_plan_of_the_client_is_stopped_in_motion_until_a_reset(graph: tuple[Desk, SimNode]
                                                                 ) -> None:
    desk, sim = graph
    job = desk.start(Order('pick up the red cube', (PICK,)))
    until(lambda: any(message == 'pick: approach' for message in tuple(job.recent)))
    assert desk.stop('a hand is on the table') == (job, '')
    result = ended(job)
    assert not result['success'] and result['final_reason'] in ('stopped', 'cancelled')
    assert np.abs(sim.robot.state().velocities).max() < STANDSTILL
    with pytest.raises(TaskRefused, match='a hand is on the table'):
        desk.start(Order('go home'))
    stands = joints(sim)
    (desk.runs / 'STOPPED').unlink()  # skill_node has a latch of its own
    again = ended(desk.start(Order('go home', (Step(1, 'home'),))))
    assert again['final_reason'] == 'stopped' and (joints(sim) == stands).all()
    reset = subprocess.run([sys.executable, '-m', 'replan_agent_page.mcp_server', '--ros',
                            '--reset-stop', '--runs', str(desk.runs)], capture_output=True,
                           text=True, check=True)
    assert 'skill_node released' in reset.stdout
    assert ended(desk.start(Order('go home', (Step(1, 'home'),))))['planner'] == 'given'


@pytest.mark.parametrize('graph', [{'approver': 'none'}], indirect=True)
def test_nothing_moves_without_an_approval(graph: tuple[Desk, SimNode]) -> None:
    desk, sim = graph
    before = joints(sim)
    for order in (Order('pick up the red cube'), Order('pick it', (PICK,))):
        assert ended(desk.start(order))['final_reason'] == 'approval_denied'
    assert (joints(sim) == before).all()


@pytest.mark.parametrize('step', [Step(1, 'fly'), Step(1, 'pick', {'object': 'the_moon'}),
                                  Step(1, 'place_at', {'x': 9.0, 'y': 0.0})])
def test_a_hostile_plan_reaches_no_skill(ros: Any, tmp_path: Path, step: Step) -> None:
    called: list[Any] = []
    with spun(AgentNode(parameter_overrides=overrides()), PlannerNode(), StandInPerception(),
              StandInSkills(called.append)) as caller:  # type: ignore[arg-type]
        desk = Desk(RosStation(RemoteAgent(node=caller, timeouts=PATIENT), None), tmp_path)
        job = desk.start(Order('go', (step,)))
        assert ended(job)['final_reason'] == 'gave_up'
        desk.close()
    assert called == [] and job.progress is not None and job.progress.state is State.FAILED


def test_a_stop_without_the_nodes_says_so_and_lasts(ros: Any, tmp_path: Path) -> None:
    hasty = Timeouts(appear_timeout=0.1)
    with spun() as caller:
        desk = Desk(RosStation(RemoteAgent(node=caller, timeouts=hasty), None), tmp_path)
        assert 'skill_node is not there' in desk.stop('smoke')[1]
        with pytest.raises(TaskRefused, match='smoke'):
            desk.start(Order('go home'))
        desk.close()


def test_a_picture_is_sent_whatever_its_clock(ros: Any, tmp_path: Path) -> None:
    eye = Node('eye')
    picture = rgb_to_msg(np.zeros((4, 6, 3), np.uint8), Header())  # the stamp is 0
    publisher = eye.create_publisher(Image, 'seen', NEWEST)
    every(eye, 0.05, lambda: publisher.publish(picture))
    with spun(eye, StandInPerception()) as caller:
        agent = RemoteAgent(node=caller, timeouts=PATIENT, image_topic='seen')
        look = RosStation(agent, None).look()
        blind = RosStation(RemoteAgent(node=caller, timeouts=PATIENT, image_topic='dark'), None)
        assert 'no picture on dark' in blind.look().no_picture
    assert look.png.startswith(b'\x89PNG')


def test_a_more_lenient_approver_is_refused(ros: Any, tmp_path: Path) -> None:
    with spun(AgentNode(parameter_overrides=overrides(approver='none')), PlannerNode(),
              StandInPerception(), StandInSkills()) as caller:
        desk = Desk(RosStation(RemoteAgent(node=caller, timeouts=PATIENT), 'auto'), tmp_path)
        job = desk.start(Order('go home'))
        assert job.done.wait(WAIT_S)
        desk.close()
    assert 'more lenient' in job.problem
