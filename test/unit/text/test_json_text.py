# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""JSON from files and from models: values or one short sentence."""

from __future__ import annotations

import pytest

from replan_agent.domain.config import ConfigError
from replan_agent.text.json_text import json_values, model_json, read_json

DEEP = ['[' * 100_000, '{"a":' * 100_000, '[' * 900 + ']' * 900,
        '{"a": ' + '[' * 70 + ']' * 70 + '}']


@pytest.mark.parametrize('text', [
    *DEEP, '', '{"a": ', '9' * 400, '[-' + '9' * 5000 + ']', '{"a": NaN}', '-Infinity', '1e999'])
def test_a_file_that_cannot_be_used_is_one_short_line(text):
    with pytest.raises(ConfigError) as error:
        json_values(text.encode(), 'run.json')
    said = str(error.value)
    assert said.startswith('run.json: ') and len(said) < 300 and '\n' not in said


def test_a_whole_number_of_64_bits_is_read():
    assert json_values(b'[9223372036854775807, 1.5, true]', '') == [2**63 - 1, 1.5, True]


@pytest.mark.parametrize('name', ['.', 'missing', 'a\0b', 'x' * 5000])
def test_a_file_that_cannot_be_opened_is_one_sentence(tmp_path, name):
    with pytest.raises(ConfigError, match='cannot be read'):
        read_json(tmp_path / name)


@pytest.mark.parametrize('text', [*DEEP, '', '{"a": '])
def test_a_reply_that_is_no_json_raises_a_value_error(text):
    with pytest.raises(ValueError, match='.'):
        model_json(text)


def test_numbers_in_a_reply_that_nobody_can_calculate_with_are_texts():
    long = '9' * 400
    assert model_json(f'[{long}, NaN, 1e999, -Infinity, 5, 1.5]') == [
        long, 'NaN', '1e999', '-Infinity', 5, 1.5]
