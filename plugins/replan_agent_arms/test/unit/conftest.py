# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Small arms (`small_arms`), written to files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from small_arms import SIDECAR, six_joints  # noqa: E402


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Writes a sidecar and a model beside it."""
    def write(sidecar: str = SIDECAR, model: str | None = None, name: str = 'arm.urdf') -> Path:
        (tmp_path / name).write_text(model or six_joints(), 'utf-8')
        (tmp_path / 'small.yaml').write_text(sidecar, 'utf-8')
        return tmp_path / 'small.yaml'

    return write


@pytest.fixture(autouse=True, scope='session')
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is computed is kept here, not in the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('XDG_CACHE_HOME', str(tmp_path_factory.mktemp('cache')))
        yield
