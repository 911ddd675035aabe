# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The documents are right: settings load, lists are complete, paths exist."""

from __future__ import annotations

import re

import pytest
import yaml
from doc_blocks import DOCUMENTS, ROOT, WITH_COMMANDS, blocks, loose_commands, page_needs
from our_sources import SETUPS

from replan_agent.domain.config import Config, build
from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import FinalReason

WITH_PATHS = [*WITH_COMMANDS, ROOT / 'CHANGELOG.md']
WITH_PROGRAMS = {ROOT / 'README.md', ROOT / 'docs' / 'python.md'}  # test/sim/test_examples.py
FOLDERS = ('.', 'replan_agent', 'examples', 'launch', *ROOT.glob('plugins/*/launch'),
           *(setup.parent for setup in SETUPS))  # where a path may start
# What runs and builds leave is no folder of ours.
IGNORED = set(re.findall(r'^/?([\w.-]+)/$', (ROOT / '.gitignore').read_text('utf-8'), re.M))
MODELS = (ROOT / 'docs' / 'models.md').read_text(encoding='utf-8')


def test_the_settings_of_the_models_document_load():
    (block,) = re.findall(r'(?:^    .*\n)*^    planner: vlm\n(?:^    .*\n)+', MODELS, re.MULTILINE)
    config = build(Config, yaml.safe_load(block), 'docs/models.md')
    assert config.planner == 'vlm' and config.vlm.model and config.approver == 'auto'


def paths(text):
    """Every path in backticks, as (path, name): `domain/cause.py:Cause` has a name in the file."""
    top = {folder.name for start in FOLDERS for folder in (ROOT / start).iterdir()
           if folder.is_dir()} - IGNORED
    for token in re.findall(r'`([\w./]+(?::\w+)?)`', text):
        path, _, name = token.partition(':')
        if path.endswith('.py') or ('/' in path and path.split('/')[0] in top):
            yield path, name


def missing(text):
    """The paths in backticks that do not exist, and the names that are not in their file."""
    for path, name in paths(text):
        found = [ROOT / start / path for start in FOLDERS if (ROOT / start / path).exists()]
        if not found:
            yield path
        elif name and not re.search(rf'^(class |def )?{name}\b', found[0].read_text(), re.M):
            yield f'{path}:{name}'


@pytest.mark.parametrize('document', WITH_PATHS, ids=lambda path: path.name)
def test_every_path_in_the_documents_exists(document):
    assert not list(missing(document.read_text(encoding='utf-8')))


def test_a_path_that_does_not_exist_is_found():
    text = '`plan/no_such_file.py`, `domain/cause.py:NoSuchCause`, `plan/no_such_room/`'
    assert len(list(missing(text))) == 3
    assert not list(missing('`domain/cause.py:Cause`, `replan_agent_bench/suites/`, '
                            '`runs/RUN`, `result.json`'))


def test_the_map_names_every_room_of_the_package():
    named = {path.rstrip('/') for path, _ in paths((ROOT / 'CONTRIBUTING.md').read_text('utf-8'))}
    package = ROOT / 'replan_agent'
    rooms = {room.parent.relative_to(package) for room in package.rglob('*/__init__.py')}
    assert {room.as_posix() for room in rooms} - named == set()


@pytest.mark.parametrize('document', WITH_COMMANDS, ids=lambda path: path.name)
def test_every_command_is_in_a_block_that_a_test_runs_or_says_what_it_needs(document):
    if not page_needs(document):
        assert loose_commands(document) == [], 'put it in a sh block (test/shared/doc_blocks.py)'


@pytest.mark.parametrize('document', WITH_COMMANDS, ids=lambda path: path.name)
def test_every_program_is_run_by_a_test_or_says_what_it_needs(document):
    text = ''.join(block.text for block in blocks(document) if block.is_run)
    for block in blocks(document):
        if block.language == 'python' and document not in WITH_PROGRAMS and not block.needs:
            name = block.title.rpartition('/')[2]
            used = name and (name in text or block.title.split('/')[0] in text)
            assert used, f'no command uses this program:\n{block.text}'


def test_a_command_that_nobody_runs_is_found(tmp_path):
    page = tmp_path / 'page.md'
    page.write_text('```\nreplan-agent scenes\n```\n\n    ros2 topic list\n\n'
                    '```sh\nreplan-agent skills\n```\n')
    assert loose_commands(page) == ['replan-agent scenes', '    ros2 topic list']
    assert [block.is_run for block in blocks(page)] == [False, True]


def test_troubleshooting_has_an_entry_for_each_reason():
    text = (ROOT / 'docs' / 'troubleshooting.md').read_text('utf-8')
    ends, steps = text.split('## Why a step failed')
    entries = dict(re.findall(r'^### (?:step: )?(\w+)\n\n(.+?)(?=^#|\Z)', ends, re.M | re.S))
    assert list(entries) == [reason.value for reason in FinalReason]
    step_entries = dict(re.findall(r'^### step: (\w+)\n\n(.+?)(?=^#|\Z)', steps, re.M | re.S))
    assert list(step_entries) == [reason.value for reason in Reason]
    for name, entry in (*entries.items(), *step_entries.items()):
        for part in (r'\*\*You see\*\*', r'\*\*Why\*\*', r'\*\*Do\*\*|\*\*what to do\*\*'):
            assert re.search(part, entry), f'{name}: {part}'


def test_the_site_has_a_place_for_every_page():
    site = yaml.safe_load((ROOT / 'mkdocs.yml').read_text('utf-8'))
    named = re.findall(r'[\w/]+\.md', str(site['nav']))
    pages = {page.relative_to(ROOT / 'docs').as_posix() for page in DOCUMENTS[1:]}
    assert pages <= set(named) and len(named) == len(set(named))


def test_every_tutorial_is_followed_by_a_test():
    text = (ROOT / 'test' / 'sim' / 'test_documents.py').read_text('utf-8')
    tutorials = [page.name for page in (ROOT / 'docs' / 'tutorials').glob('*.md')]
    assert len(tutorials) >= 5
    assert [name for name in tutorials if f"TUTORIALS / '{name}'" not in text] == []


@pytest.mark.parametrize('document', DOCUMENTS, ids=lambda path: path.name)
def test_a_link_to_a_page_that_is_made_says_how_to_make_it(document):
    for paragraph in document.read_text(encoding='utf-8').split('\n\n'):
        for target in re.findall(r'\]\((?!https?:)([^)#\s]+\.md)', paragraph):
            assert (document.parent / target).exists() or 'make docs' in paragraph, target
