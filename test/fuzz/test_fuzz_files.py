# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings, scenes, run folders and recordings with anything in them: read, or one short line."""

from __future__ import annotations

import json
import math
from pathlib import Path

import fuzz_values as fuzz
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from replan_agent_export.export_command import add_commands
from replan_agent_export.recorded_model import FORMAT, ReplayedModel
from replan_agent_memory.memory_actions import read_export

from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import SUCCESS, WRONG_USE, WrongUse
from replan_agent.arms.franka import PANDA
from replan_agent.domain.config import Config, ConfigError, build
from replan_agent.record.stored_run import RunUnreadable, StoredRun
from replan_agent.robot.mujoco.scene.placement import place
from replan_agent.robot.mujoco.scene.scene_file import parse_scene
from replan_agent.robot.mujoco.world import World
from replan_agent.text.json_text import json_values
from replan_agent.text.yaml_text import yaml_values

pytestmark = pytest.mark.fuzz

ROOT = Path(__file__).parents[2]
SCENE = yaml_values((ROOT / 'config/scenes/tabletop.yaml').read_bytes(), '')
SETTINGS = yaml_values((ROOT / 'config/sim.yaml').read_bytes(), '')
STEP = {'step_number': 1, 'skill': 'pick', 'args': {'object': 'red_cube'}, 'description': '',
        'expected_change': ''}
GOAL = {'predicate': 'at', 'object': 'red_cube', 'target': None, 'position': [0.5, 0.0]}
PLAN = {'version': 1, 'task': 't', 'steps': [STEP], 'goals': [GOAL], 'cause': 'initial',
        'parent': None, 'scene_id': 's', 'planner': 'stub', 'reason': '', 'context': {}}
ATTEMPT = {'step_idx': 0, 'skill': 'pick', 'args': {}, 'reason': 'unreachable',
           'reason_detail': 'too far', 'stage': 'execute', 'plan_version': 1, 'blockers': []}
RUN = {'task': 'pick up the red cube', 'scene': 'tabletop', 'seed': 0, 'attempts': [ATTEMPT],
       'completed': [{**STEP, 'held': None}], 'goals': [GOAL], 'hints': ['push it'],
       'plans': [PLAN, {**PLAN, 'version': 2, 'parent': 1, 'cause': 'error'}]}
ASKED = {'messages': [{'role': 'user', 'content': [{'type': 'text', 'text': 'Hello?'}]}],
         'tools': []}
RECORDING = {'format': FORMAT, 'model': 'm', 'exchanges': [
    {'fingerprint': 'f', 'request': ASKED, 'reply': {
        'text': '', 'tool_calls': [{'name': 'pick', 'arguments': {}}], 'model': '', 'usage': {}}},
    {'fingerprint': 'f', 'request': ASKED,
     'error': {'reason': 'auth', 'detail': 'no', 'retry_after': None}}]}
YAML_PIECES = ('a: ', '- ', '[', ']', '{', '}', '&a ', '*a', '!!int ', '!!float ', '!!timestamp ',
               '"', "'", '\\', '\\0', '\n', '  ', '? ', ': ', '<<: ', '2024-13-45', '1e3', '#',
               '%', '---\n', '|\n', 'objects: ', 'agent: ', '9' * 400, '\t', '\x1b', '\u202e')


def yaml_texts() -> st.SearchStrategy[bytes]:
    pieces = st.lists(st.sampled_from(YAML_PIECES), max_size=12).map(''.join)
    written = fuzz.values().map(lambda value: yaml.dump(value, allow_unicode=True))
    deep = st.tuples(st.sampled_from(('[', '{a: ', '- ', '? ')), st.integers(0, 5000)).map(
        lambda given: given[0] * given[1])
    text = st.one_of(pieces, written, deep, st.text(max_size=40))
    return st.one_of(text.map(lambda t: t.encode('utf-8', 'surrogatepass')),
                     st.binary(max_size=40))


@given(yaml_texts())
def test_any_text_as_yaml(data):
    fuzz.result_or(ConfigError, lambda: yaml_values(data, 'my.yaml'))


@given(fuzz.json_texts())
def test_any_text_as_json(text):
    fuzz.result_or(ConfigError, lambda: json_values(text, 'my.json'))


@given(st.one_of(fuzz.values(), fuzz.changed(SETTINGS)))
def test_any_settings(values):
    fuzz.result_or(ConfigError, lambda: build(Config, values, 'my.yaml'))


@given(st.one_of(fuzz.values(), fuzz.changed(SCENE)))
def test_any_scene_is_refused_or_can_be_simulated(values):
    scene = fuzz.result_or(ConfigError, lambda: parse_scene(values, 'my.yaml'))
    if scene is None or fuzz.result_or(ConfigError, lambda: place(scene, 0)) is None:
        return
    world = fuzz.result_or(ConfigError, lambda: World(scene, PANDA))
    assert world is None or all(math.isfinite(x) for o in world.true_objects()
                                for x in o.position)


@pytest.fixture(scope='module')
def file(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp('fuzz') / 'result.json'


def as_files(good: object) -> st.SearchStrategy[str]:
    return st.one_of(fuzz.changed(good).map(json.dumps), fuzz.json_texts())


def write(file: Path, text: str) -> None:
    file.write_bytes(text.encode('utf-8', 'surrogatepass'))


@given(text=as_files(RUN))
def test_any_run_folder(file, text):
    write(file, text)
    run = fuzz.result_or(RunUnreadable, lambda: StoredRun.load(file))
    if run is not None:
        fuzz.result_or(RunUnreadable, run.plans)
        fuzz.result_or(RunUnreadable, lambda: run.resume('a hint'))
        fuzz.result_or(RunUnreadable, lambda: run.task)


@given(text=as_files(RUN), options=st.sampled_from([(), ('--json',), ('--diff', '1', '2')]))
def test_any_run_folder_can_be_shown_or_is_wrong_use(file, text, options):
    write(file, text)
    assert main(['plans', str(file), *options], plug_ins=[add_commands]) in (SUCCESS, WRONG_USE)


@given(text=as_files(RECORDING))
def test_any_recording_of_a_model(file, text):
    write(file, text)
    fuzz.result_or(ConfigError, lambda: ReplayedModel(file))


@given(text=fuzz.json_texts())
def test_any_export_of_a_memory(file, text):
    write(file, text)
    fuzz.result_or((ConfigError, WrongUse), lambda: read_export(file))
