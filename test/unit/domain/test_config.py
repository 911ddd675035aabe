# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings from mappings: defaults, ranges, and errors that name the key and what is allowed."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replan_agent.domain.config import (
    AgentConfig,
    ApprovalConfig,
    Config,
    ConfigError,
    IKConfig,
    MotionConfig,
    RobotConfig,
    SceneMemoryConfig,
    WorkspaceConfig,
    build,
)

SECTIONS = (AgentConfig, IKConfig, MotionConfig, WorkspaceConfig, RobotConfig, SceneMemoryConfig,
            ApprovalConfig)


def test_an_empty_mapping_gives_the_documented_defaults() -> None:
    config = build(Config, {}, 'test.yaml')
    assert config == Config()
    assert config.agent.max_replans == 3
    assert config.agent.max_total_replans == 5
    assert config.agent.max_api_calls == 30
    assert config.agent.max_step_retries == 3
    assert config.agent.max_steps == 20
    assert config.agent.replan_timeout == 300.0
    assert (config.ik.pos_tol, config.ik.rot_tol, config.ik.max_iterations) == (0.001, 0.01, 400)
    assert config.motion.max_velocity_scaling_factor == 0.1


def test_without_an_approver_nothing_is_approved() -> None:
    assert build(Config, {}, 'test.yaml').approver == 'none'


def test_sections_nest_and_the_rest_keeps_its_defaults() -> None:
    config = build(Config, {'agent': {'max_replans': 2}, 'robot': {'model': 'fr3'},
                            'approver': 'auto'}, 'test.yaml')
    assert config.agent.max_replans == 2
    assert config.agent.max_steps == 20
    assert config.robot.model == 'fr3'
    assert config.approver == 'auto'


def test_a_whole_number_is_accepted_for_a_decimal() -> None:
    delay = build(AgentConfig, {'step_delay': 2}, 'x').step_delay
    assert delay == 2.0
    assert isinstance(delay, float)


@pytest.mark.parametrize(('values', 'words'), [
    ({'agnet': {}}, ["unknown key 'agnet'", 'agent, ik, motion']),
    ({'agent': {'max_replan': 1}}, ['agent', "unknown key 'max_replan'", 'max_replans']),
    ({1: 2}, ['unknown key 1']),
    ({'agent': {'max_step': 1}}, ["did you mean 'max_steps'?"]),
    ({'agent': {'max_replans': -1}}, ['agent.max_replans', '-1', '0 to 100']),
    ({'agent': {'max_replans': 101}}, ['101', '0 to 100']),
    ({'agent': {'max_replans': 2.0}}, ['must be a whole number from 0 to 100', '2.0']),
    ({'agent': {'max_replans': True}}, ['must be a whole number', 'True']),
    ({'agent': {'max_replans': '3'}}, ['must be a whole number', "'3'"]),
    ({'agent': {'repeat_guard': 1}}, ['must be true or false', '1']),
    ({'agent': {'step_delay': math.nan}}, ['step_delay', 'nan', '0 to 60']),
    ({'agent': {'step_delay': math.inf}}, ['step_delay', 'inf']),
    ({'agent': {'step_delay': None}}, ['must be a number from 0 to 60', 'None']),
    ({'motion': {'max_velocity_scaling_factor': 0.0}}, ['0.001 to 1']),
    ({'motion': {'max_velocity_scaling_factor': 1.01}}, ['0.001 to 1']),
    ({'robot': {'model': 'ur5'}}, ["'ur5' is not allowed", 'panda, fr3']),
    ({'approver': 'everyone'}, ["'everyone' is not allowed",
                                'none, auto, adaptive, console, remote']),
    ({'agent': 3}, ['agent', 'must be a mapping, not int', 'max_replans']),
    ([], ['must be a mapping, not list']),
])
def test_a_wrong_setting_is_named_with_what_is_allowed(values: Any, words: list[str]) -> None:
    with pytest.raises(ConfigError) as error:
        build(Config, values, 'test.yaml')
    assert str(error.value).startswith('test.yaml: ')
    assert all(word in str(error.value) for word in words), str(error.value)


@pytest.mark.parametrize('section', SECTIONS)
def test_every_setting_has_a_meaning_and_a_default_that_is_allowed(section: type) -> None:
    for setting in fields(section):
        assert setting.metadata['help'], setting.name
        assert build(section, {setting.name: setting.default}, 'x') == section()


def test_every_number_has_a_range() -> None:
    for setting in (f for section in SECTIONS for f in fields(section)):
        if type(setting.default) in (int, float):
            assert setting.metadata['low'] < setting.metadata['high'], setting.name


def test_an_inverted_workspace_is_refused() -> None:
    with pytest.raises(ConfigError, match=r'cell.yaml: workspace: x_min=0.4 must be less than '
                                          r'x_max=0.15'):
        build(Config, {'workspace': {'x_min': 0.4, 'x_max': 0.15}}, 'cell.yaml')
    with pytest.raises(ConfigError, match='z_min=1 must be less than z_max=1'):
        WorkspaceConfig(z_min=1.0, z_max=1.0)


@pytest.mark.parametrize('section', [s for s in SECTIONS if s is not WorkspaceConfig])
def test_the_ends_of_each_range_are_allowed(section: type) -> None:
    for setting in fields(section):
        kind: Any = type(setting.default)
        for end in ('low', 'high') if kind in (int, float) else ():
            value = kind(setting.metadata[end])
            assert getattr(build(section, {setting.name: value}, 'x'), setting.name) == value


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-10 ** 6, 10 ** 6), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=2),
                            st.dictionaries(st.text(), inner, max_size=2)), max_leaves=4)


@given(st.dictionaries(st.sampled_from([f.name for f in fields(AgentConfig)]), VALUES))
def test_any_values_give_a_config_or_a_config_error(values: dict[str, Any]) -> None:
    try:
        config = build(AgentConfig, values, 'x')
    except ConfigError:
        return
    assert is_dataclass(config)
