# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ROS runtime's own parts: what is pinned, where it lies, what a command finds in it."""

from __future__ import annotations

import os
import platform
import re
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest
from ros_runtime import environment, installed, layout, wheels
from ros_runtime.layout import CHECKOUT, PINS, TOOLS, Runtime
from ros_runtime.offers import offers
from ros_runtime.package import read_package
from ros_runtime.report import SetupError

LOCKS = sorted(PINS.glob('python3.*.txt'))


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(layout.CACHE_VARIABLE, str(tmp_path / 'cache'))


def pins(file: Path) -> list[str]:
    return [line for line in file.read_text().splitlines() if line and line[0] != '#']


@pytest.mark.parametrize('lock', LOCKS, ids=lambda file: file.stem)
def test_every_wheel_is_pinned_by_version_and_hash(lock: Path) -> None:
    for pin in pins(lock):
        assert re.fullmatch(r'[\w.-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}', pin)
    versions = {pin.split()[0] for pin in pins(lock)}
    assert set(pins(PINS / 'ros.txt')) <= versions, 'tools/ros lock is due'


def test_the_wheels_of_the_runtime_cover_what_the_package_needs() -> None:
    needed = re.findall(r"^    '([A-Za-z][\w-]*)[><=]", (CHECKOUT / 'setup.py').read_text(), re.M)
    assert 'mujoco' in needed
    for lock in LOCKS:
        locked = {re.sub(r'[._]', '-', pin.split('==')[0]) for pin in pins(lock)}
        assert {name.lower() for name in needed} <= locked


def test_no_file_names_a_registry() -> None:
    text = [file for file in [TOOLS.parent / 'ros', *TOOLS.rglob('*')] if file.is_file()
            and file.suffix in ('', '.py', '.txt', '.ini', '.c')]
    assert len(text) > 15
    assert [str(file) for file in text if '://' in file.read_text()] == []


def test_every_definition_is_built_by_colcon_too() -> None:
    package = read_package(CHECKOUT / 'interfaces' / 'replan_agent_interfaces')
    cmake = (package.folder / 'CMakeLists.txt').read_text()
    listed = re.findall(r'"((?:msg|srv|action)/\w+\.\w+)"', cmake)
    assert sorted(listed) == sorted(
        str(package.definition(interface).relative_to(package.folder))
        for interface in package.interfaces)


def test_a_runtime_is_named_after_its_pins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(platform, 'machine', lambda: 'aarch64')
    monkeypatch.setattr(layout.sys, 'platform', 'linux')
    before = layout.needed_runtime()
    assert before == layout.needed_runtime()
    assert (before.python, before.emulated) == ('3.11', True)
    changed = tmp_path / 'box64'
    changed.mkdir()
    (changed / 'python3').write_text('another wrapper')
    monkeypatch.setattr(layout, 'BOX64', changed)
    assert layout.needed_runtime().root != before.root


@pytest.mark.parametrize(('system', 'machine'), [('linux', 'riscv64'), ('darwin', 'x86_64')])
def test_an_unsupported_machine_gets_a_reason(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str
) -> None:
    monkeypatch.setattr(platform, 'machine', lambda: machine)
    monkeypatch.setattr(layout.sys, 'platform', system)
    with pytest.raises(SetupError, match=machine):
        layout.needed_runtime()


def test_a_python_without_pins_gets_the_list_of_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, 'machine', lambda: 'x86_64')
    monkeypatch.setattr(layout.sys, 'platform', 'linux')
    monkeypatch.setattr(layout, 'THIS_PYTHON', '3.9')
    with pytest.raises(SetupError, match='python3.12.*this is Python 3.9'):
        layout.needed_runtime()


def test_a_wheel_is_laid_out_as_pip_would(tmp_path: Path) -> None:
    wheel = tmp_path / 'demo-1-py3-none-any.whl'
    with zipfile.ZipFile(wheel, 'w') as archive:
        archive.writestr('demo/__init__.py', '')
        archive.writestr('demo-1.data/data/share/demo/a.txt', 'a')
        archive.writestr('demo-1.data/platlib/fast.py', '')
        script = zipfile.ZipInfo('demo-1.data/scripts/demo')
        script.external_attr = 0o755 << 16
        archive.writestr(script, '#!/bin/sh\n')
    runtime = Runtime(tmp_path / 'runtime', '3.11', True)
    wheels.unpack(wheel, runtime)
    assert (runtime.site_packages / 'demo' / '__init__.py').is_file()
    assert (runtime.site_packages / 'fast.py').is_file()
    assert (runtime.prefix / 'share' / 'demo' / 'a.txt').read_text() == 'a'
    assert os.access(runtime.prefix / 'bin' / 'demo', os.X_OK)


def test_runs_at_the_same_time_get_different_domains() -> None:
    domains = [int(environment.reserve_domain()) for _ in range(20)]
    assert len(set(domains)) == 20
    assert all(0 < domain < 102 for domain in domains)


@pytest.mark.parametrize('emulated', [True, False])
def test_a_command_finds_our_package_and_the_interfaces_first(
    tmp_path: Path, emulated: bool
) -> None:
    runtime = Runtime(tmp_path, '3.11', emulated)
    found = environment.environment(runtime, [tmp_path / 'ours'])
    modules = found['PYTHONPATH'].split(os.pathsep)
    assert modules[0] == str(CHECKOUT)
    assert f'{tmp_path}/ours/lib/python3.11/site-packages' in modules
    assert (str(runtime.site_packages) in modules) == emulated  # natively, a venv has them
    assert ('LD_LIBRARY_PATH' in found) != emulated
    assert found['AMENT_PREFIX_PATH'] == f'{tmp_path}/ours:{tmp_path}/ros'
    assert found['PATH'].startswith(str(runtime.interpreter.parent))


def test_a_command_finds_what_our_packages_offer_without_an_installation(tmp_path: Path) -> None:
    found = offers(tmp_path / 'new')
    assert found == offers(tmp_path / 'new')
    entries = {entry.name: entry.value for dist in distributions(path=[str(found)])
               for entry in dist.entry_points if entry.group == 'replan_agent.commands'}
    assert entries['ros'] == 'replan_agent.ros.commands.ros_commands:add_commands'
    assert entries['bench'] == 'replan_agent_bench.bench_commands:add_commands'


def test_an_installed_ros_builds_our_interfaces_with_colcon_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / 'bin'
    tools.mkdir()
    colcon = tools / 'colcon'
    colcon.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n')
    colcon.chmod(0o755)
    monkeypatch.setenv('PATH', str(tools), prepend=os.pathsep)
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    install = installed.build()
    assert installed.build() == install
    (call,) = (tmp_path / 'calls').read_text().splitlines()
    assert f'--base-paths {CHECKOUT}/interfaces' in call
    assert f'--install-base {install}' in call
    assert installed.command(['env'], install)[-2:] == [str(install), 'env']


def test_an_installed_ros_without_colcon_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    with pytest.raises(SetupError, match='python3-colcon-common-extensions'):
        installed.build()
