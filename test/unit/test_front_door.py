# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`import replan_agent`: what it offers, and that it costs nothing until it is used."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import replan_agent
from replan_agent import FailedStage, FinalReason, Reason, SkillResult, failed
from replan_agent.domain.cause import Cause

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / 'replan_agent' / '__init__.py'
HEAVY = ('numpy', 'mujoco', 'scipy', 'cv2', 'yaml', 'jsonschema', 'rich', 'openai', 'rclpy')


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after the code."""
    run = subprocess.run([sys.executable, '-c', f'{code}\nimport sys\nprint(*sys.modules)'],
                         cwd=ROOT, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_the_import_loads_nothing_heavy_and_no_module_of_ours():
    loaded = loaded_by('import replan_agent\nreplan_agent.__version__\ndir(replan_agent)')
    assert not loaded & set(HEAVY)
    assert [name for name in loaded if name.startswith('replan_agent.')] == []


def test_a_name_loads_only_what_it_needs():
    loaded = loaded_by('from replan_agent import Config, SkillResult, Step')
    assert 'replan_agent.domain.config' in loaded
    assert not loaded & {'mujoco', 'cv2', 'scipy'}


@pytest.mark.parametrize('name', replan_agent.__all__)
def test_every_exported_name_exists(name):
    assert getattr(replan_agent, name) is not None
    assert name in dir(replan_agent)


def test_the_type_checker_is_told_of_the_same_names_in_the_same_modules():
    told = {(alias.asname or alias.name): (node.module, alias.name)
            for node in ast.walk(ast.parse(SOURCE.read_text('utf-8')))
            if isinstance(node, ast.ImportFrom) and node.level for alias in node.names}
    assert sorted(told) == sorted(replan_agent.__all__)
    for name, (module, original) in told.items():
        found = __import__(f'replan_agent.{module}', fromlist=[original])
        assert getattr(replan_agent, name) is getattr(found, original)


def test_a_name_that_there_is_not_is_an_attribute_error():
    with pytest.raises(AttributeError, match='Simulashun'):
        _ = replan_agent.Simulashun


def test_the_package_says_that_it_is_typed():
    assert (ROOT / 'replan_agent' / 'py.typed').is_file()
    assert "'py.typed'" in (ROOT / 'setup.py').read_text('utf-8')


def test_reasons_print_as_their_slugs():
    assert str(FinalReason.PLAN_COMPLETE) == f'{FinalReason.PLAN_COMPLETE}' == 'plan_complete'
    assert str(Reason.UNREACHABLE) == f'{Reason.UNREACHABLE}' == 'unreachable'


def test_a_reason_may_be_a_plain_text():
    result = SkillResult(success=False, reason='object_not_found', reason_detail='no cube')
    assert result.reason is Reason.OBJECT_NOT_FOUND
    assert result.as_dict()['reason'] == 'object_not_found'


def test_a_text_that_is_no_reason_is_refused_with_those_that_are():
    with pytest.raises(ValueError, match="'error' is not a reason") as refused:
        SkillResult(success=False, reason='error', reason_detail='it broke')
    for reason in Reason:
        assert re.search(rf'\b{reason.value}\b', str(refused.value))


def test_a_stage_and_a_cause_may_be_plain_texts_too():
    result = failed('timeout', 'it took 9 s', 'planning', cause='held_up')
    assert (result.stage, result.cause) == (FailedStage.PLANNING, Cause.HELD_UP)
    assert isinstance(result.stage, FailedStage) and isinstance(result.cause, Cause)
    assert result.as_dict()['cause'] == 'held_up' and result.as_dict()['stage'] == 'planning'


@pytest.mark.parametrize(('given', 'sentence'), [
    ({'stage': 'sometime'}, "'sometime' is not a stage; choose from: precondition, planning,"),
    ({'cause': 'bad luck'}, "'bad luck' is not a cause; choose from: object_moved,")])
def test_a_text_that_is_no_stage_or_cause_is_refused_with_those_that_are(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        failed('timeout', 'it took 9 s', **given)


@pytest.mark.parametrize('given', [{}, {'reason': 'timeout'}, {'reason_detail': 'it broke'}])
def test_a_failure_needs_a_reason_and_a_sentence(given):
    with pytest.raises(ValueError, match='needs a reason and a reason_detail'):
        SkillResult(success=False, **given)


@pytest.mark.parametrize('given', ['no', None, 1])
def test_success_is_true_or_false(given):
    with pytest.raises(TypeError, match='^success must be True or False, not '):
        SkillResult(success=given)


def test_a_success_has_no_reason():
    with pytest.raises(ValueError, match="a successful SkillResult has no reason.*'timeout'"):
        SkillResult(True, reason='timeout')
