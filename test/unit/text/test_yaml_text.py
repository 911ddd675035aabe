# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever is in a YAML file, there are values or one short sentence."""

from __future__ import annotations

import pytest

from replan_agent.domain.config import ConfigError
from replan_agent.text.shown_text import LONGEST_MESSAGE, printable
from replan_agent.text.yaml_text import read_yaml, yaml_values

BOMB = 'a0: &a0 [x, x]\n' + ''.join(
    f'a{i}: &a{i} [{", ".join([f"*a{i - 1}"] * 10)}]\n' for i in range(1, 12))


@pytest.mark.parametrize(('text', 'words'), [
    ('x: 2024-13-45', 'line 1'), ('x: 2024-02-31', '2024-02-31'), ('a: 1\nx: !!int abc', 'line 2'),
    ('x: !!float abc', 'abc'), ('x: !!bool abc', 'bool'), ('x: !!timestamp abc', 'timestamp'),
    ('x: !!binary "a"', ''), ('x: !!set [a]', ''), ('x: !!python/object:os.system a', 'python'),
    ('x: ' + '9' * 5000, 'line 1'), ('[' * 100_000, 'levels deep'),
    ('{a: ' * 3000 + '1' + '}' * 3000, 'levels deep'),
    ('\n'.join(' ' * i + 'a:' for i in range(500)), 'levels deep'),
    ('x: a\0b', ''), ('x: "a\\0b"', 'control'), ('x: "\\e[31m"', 'control'),
    ('x: "\\ud800"', 'control'), ('x: "\\Uffffffff"', ''), ('? [a, b]\n: 1', 'line 1'),
    ('a: 1\na: 2', "line 2: 'a' is there twice, first in line 1"),
    ('x: {b: 1, c: 2, b: 3}', 'twice'), ('\tx: 1', 'line 1'), ('x: "abc', 'line'),
    ('a: 1\n---\nb: 2', 'single document'), ('x: *nope', 'nope'), ('<<: 1', 'line 1')])
def test_what_cannot_be_read_is_one_short_line(text, words):
    with pytest.raises(ConfigError) as error:
        yaml_values(text.encode(), 'my.yaml')
    said = str(error.value)
    assert said.startswith('my.yaml: not valid YAML: ') and words in said
    assert len(said) < LONGEST_MESSAGE and '\n' not in said and printable(said) == said


def test_text_that_is_not_utf_8_says_so():
    with pytest.raises(ConfigError, match='not UTF-8'):
        yaml_values(b'name: \xe9', 'my.yaml')


def test_a_number_with_an_exponent_is_a_number_with_or_without_a_point():
    assert yaml_values(b'[1e-3, 1.0e-3, -2E5, .5e1, 1e3x, e3]', '') == [
        0.001, 0.001, -2e5, 5.0, '1e3x', 'e3']


def test_aliases_and_merged_keys_still_work():
    text = 'base: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}\nsame: *b'
    assert yaml_values(text.encode(), '')['own'] == {'x': 1, 'y': 3}


def test_an_alias_bomb_is_read_without_unfolding_it():
    assert len(yaml_values(BOMB.encode(), '')) == 12


@pytest.mark.parametrize('name', ['.', 'missing.yaml', 'a\0b.yaml', 'x' * 5000, '/dev/zero'])
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path, name):
    with pytest.raises(ConfigError, match='cannot be read|longer than') as error:
        read_yaml(tmp_path / name)
    assert len(str(error.value)) < 500
