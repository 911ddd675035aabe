# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things that colour cannot name: a scripted model points at them, over real HTTP."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from replan_agent_bench.scripted.scripted_model import scripted_model
from replan_agent_bench.scripted.scripted_server import MODEL

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.build.scenes_by_name import scene_named
from replan_agent.app.cli.main import main
from replan_agent.domain.task_result import FinalReason
from replan_agent.record.recorders import MemoryRecorder

pytestmark = pytest.mark.gl
pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")


@pytest.fixture
def server():
    with scripted_model() as running:
        yield running


def fruit(server, *point_at, planner='stub', calls=30):
    config = load_config()
    vlm = replace(config.vlm, model=MODEL, base_url=server.base_url)
    config = replace(config, perception='camera_vlm', planner=planner, vlm=vlm, point_at=point_at,
                     agent=replace(config.agent, max_api_calls=calls))
    return Simulation(scene_named('fruit'), config=config)


def truth(sim, name):
    return next(o for o in sim.world.true_objects() if o.name == name)


def run(sim, task):
    return sim.agent(MemoryRecorder()).run(task)


@pytest.mark.parametrize('planner', ['stub', 'vlm'])
def test_a_thing_that_colour_cannot_name_is_pointed_at_picked_and_placed(server, planner):
    sim = fruit(server, 'the lemon', planner=planner)
    result = run(sim, 'put the lemon in the bowl')
    assert result.success and result.perception == 'camera_vlm', result.final_detail
    lemon, bowl = truth(sim, 'lemon'), truth(sim, 'bowl')
    assert math.dist(lemon.position[:2], bowl.position[:2]) < 0.04 and lemon.bottom_z < 0.03
    assert result.api_calls == len(server.requests) == (1 if planner == 'stub' else 2)


def test_without_the_model_the_camera_alone_finds_no_lemon(server):
    sim = fruit(server, 'the lemon')
    sim = Simulation(scene_named('fruit'), config=replace(sim.config, perception='camera'))
    result = run(sim, 'put the lemon in the bowl')
    assert not result.success and "matches 'the lemon'" in result.final_detail
    assert server.requests == []


def test_the_model_distinguishes_the_lemon_from_a_banana_of_the_same_colour(server):
    sim = fruit(server, 'the banana')
    assert run(sim, 'pick up the banana').success
    assert truth(sim, 'banana').bottom_z > 0.08 and truth(sim, 'lemon').bottom_z < 0.001


def test_what_the_model_does_not_see_is_not_found_and_every_question_is_counted(server):
    sim = fruit(server, 'the teapot')
    result = run(sim, 'pick up the teapot')
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert 'object_not_found' in result.final_detail and sim.world.time == 0.0
    assert result.api_calls == len(server.requests) == 1 + result.replans


def test_no_question_is_asked_that_the_budget_does_not_cover(server):
    result = run(fruit(server, 'the lemon', calls=0), 'pick up the lemon')
    assert result.final_reason is FinalReason.BUDGET_EXHAUSTED and server.requests == []


def test_a_model_that_fails_leaves_what_the_camera_sees(server):
    server.misbehave = ['html', 'http_401', 'prose', 'nan']
    sim = fruit(server, 'the lemon')
    result = run(sim, 'pick up the red ball')
    assert result.success, result.final_detail


def arguments(server, *more):
    return [*more, '--scene', 'fruit', '--perception', 'camera_vlm', '--model', MODEL,
            '--base-url', server.base_url]


def test_the_task_itself_says_what_to_look_for(server, tmp_path):
    assert main(arguments(server, 'run', 'pick up the banana', '--out', str(tmp_path))) == 0
    result = json.loads((tmp_path / 'result.json').read_text())
    assert result['perception'] == 'camera_vlm' and result['api_calls'] == 1


def test_a_task_that_is_not_understood_needs_point_at(server, tmp_path, capsys):
    task = ['run', 'juggle the lemon', '--out', str(tmp_path / 'run')]
    assert main(arguments(server, *task)) == 2
    assert '--point-at' in capsys.readouterr().err
    assert main(arguments(server, *task, '--point-at', 'the lemon')) == 1  # the stub cannot
    assert len(server.requests) == 1


def test_looking_names_what_is_pointed_at(server, tmp_path, capsys):
    out = ['look', '--out', str(tmp_path / 'x.png'), '--json']
    assert main(arguments(server, *out, '--point-at', 'the tomato', '--point-at', 'the lime')) == 0
    scene = json.loads(capsys.readouterr().out)
    assert {'tomato', 'lime', 'yellow_bar'} <= {o['name'] for o in scene['objects']}
    assert main(arguments(server, *out)) == 2
    assert '--point-at' in capsys.readouterr().err


def test_a_recorded_conversation_is_replayed_without_a_model(server, tmp_path):
    tape = tmp_path / 'tape.json'
    task = ['run', 'put the lemon in the bowl', '--planner', 'vlm']
    assert main(arguments(server, *task, '--out', str(tmp_path / 'a'), '--record-model',
                          str(tape))) == 0
    recorded = len(json.loads(tape.read_text())['exchanges'])
    assert recorded == len(server.requests) == 2
    replay = [*task, '--scene', 'fruit', '--perception', 'camera_vlm', '--replay-model', str(tape)]
    assert main([*replay, '--out', str(tmp_path / 'b')]) == 0
    first, again = (json.loads((tmp_path / run / 'result.json').read_text()) for run in 'ab')
    assert again['api_calls'] == first['api_calls'] and len(server.requests) == recorded
    assert again['planner'] == f'{first["planner"]} (recorded)'


def test_recording_and_replaying_at_once_is_wrong_use(tmp_path, capsys):
    both = ['--record-model', str(tmp_path / 'a'), '--replay-model', str(tmp_path / 'b')]
    assert main(['run', 'go home', '--planner', 'vlm', '--model', 'm', '--base-url',
                 'http://127.0.0.1:1/v1', *both, '--out', str(tmp_path / 'run')]) == 2
    assert 'cannot be used together' in capsys.readouterr().err
