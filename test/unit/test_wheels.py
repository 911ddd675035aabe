# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is in the wheels: nothing is left out, and nothing is in them that is not ours."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
from built_wheels import FOLDERS, build_wheels, package_of

pytest.importorskip('setuptools', minversion='70.1', reason='older ones need `wheel` for it')


@pytest.fixture(scope='module')
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build_wheels(tmp_path_factory.mktemp('built'))


def files_in(folder: Path, name: str) -> set[str]:
    """The files below `folder/name`, without hidden ones and what Python compiled."""
    files = (file.relative_to(folder) for file in (folder / name).rglob('*') if file.is_file())
    return {file.as_posix() for file in files
            if '__pycache__' not in file.parts and not any(p[0] == '.' for p in file.parts)}


def test_every_package_has_a_wheel_with_all_its_files(wheels: dict[str, Path]) -> None:
    assert sorted(wheels) == sorted(map(package_of, FOLDERS))
    for folder in FOLDERS:
        name = package_of(folder)
        with ZipFile(wheels[name]) as wheel:
            packed = {file for file in wheel.namelist() if '.dist-info/' not in file}
        shared = {file.partition(f'/data/share/{name}/')[2] for file in packed} - {''}
        assert {file for file in packed if '.data/' not in file} == files_in(folder, name)
        assert shared - {'package.xml'} == files_in(folder, 'config') | files_in(folder, 'launch')
        if (folder / 'package.xml').is_file():  # colcon and ros2 find the package by these two
            assert 'package.xml' in shared
            assert [file for file in packed if file.endswith(f'/resource_index/packages/{name}')]
