# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What all tests share: those of the core in test/, and those of each package in plugins/."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

# What tests of different folders share (this import mode has no packages for it).
ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / 'test' / 'shared'))

try:
    from hypothesis import HealthCheck, settings
except ImportError:  # the ROS runtime goes without
    pass
else:
    # A busy machine is no bug, and a failure must come back on the next run.
    steady = settings(deadline=None, derandomize=True,
                      suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile('replan_agent', steady, max_examples=40)
    settings.register_profile('release', steady)  # 100 examples
    # New examples each time, as many as one likes: make fuzz.
    settings.register_profile('fuzz', deadline=None, max_examples=500, print_blob=True,
                              suppress_health_check=list(HealthCheck))
    settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'replan_agent'))


@pytest.fixture(scope='session', autouse=True)
def ctrl_c_is_heard() -> Iterator[None]:
    """A job in the background of a script ignores Ctrl-C, and so would the processes it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def nothing_is_known_of_models(tmp_path_factory: pytest.TempPathFactory,
                               monkeypatch: pytest.MonkeyPatch) -> None:
    """A test finds out for itself how a model can be asked, and leaves no notes behind."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path_factory.getbasetemp() / os.urandom(4).hex()))
    notes = sys.modules.get('replan_agent.vlm.found_ways')
    if notes is not None:
        notes._known.clear()


def pytest_collection_finish() -> None:
    """The modules and the thousands of tests stay: no use in looking through them for garbage."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _can_draw() -> bool:
    for library in ('libEGL.so.1', 'libOSMesa.so.8'):
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if _can_draw():
        return
    for item in items:
        if 'gl' in item.keywords:
            item.add_marker(pytest.mark.skip(reason='no libEGL: apt-get install libegl1'))


BUILD = 'from setuptools.build_meta import build_wheel; print(build_wheel(r"{}"))'


def install(source: Path, target: Path, work: Path) -> None:
    """Install a package below `target`, without a network."""
    copied = shutil.copytree(source, work / source.name)  # setuptools writes beside the source
    subprocess.run([sys.executable, '-c', BUILD.format(work)], cwd=copied, check=True,
                   stdout=subprocess.DEVNULL)  # what pip does, in half the time
    (wheel,) = work.glob('*.whl')
    zipfile.ZipFile(wheel).extractall(target)
    for shared in target.glob('*.data/data'):
        shutil.copytree(shared, target, dirs_exist_ok=True)


@pytest.fixture
def files_of_at_most() -> Callable[[int], AbstractContextManager[None]]:
    """No file of this process may grow beyond so many bytes: a full disk without a mount."""

    @contextmanager
    def limited(size: int) -> Iterator[None]:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return limited


@pytest.fixture(scope='session')
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path | str], Path]:
    """Where a package is installed: a path from the root of the checkout, or any other."""
    def at(package: Path | str) -> Path:
        work = tmp_path_factory.mktemp(Path(package).name)
        install(ROOT / package, work / 'installed', work)
        return work / 'installed'

    return at


@pytest.fixture(scope='session')
def small_plugin(installed: Callable[[str], Path]) -> Path:
    """Where examples/small_plugin is installed."""
    return installed('examples/small_plugin')


@pytest.fixture(scope='session')
def rai_plugin(installed: Callable[[str], Path]) -> Path:
    """Where plugins/replan_agent_rai is installed."""
    return installed('plugins/replan_agent_rai')


@pytest.fixture(scope='session')
def robosuite_plugin(installed: Callable[[str], Path]) -> Path:
    """Where plugins/replan_agent_robosuite is installed, without robosuite itself."""
    return installed('plugins/replan_agent_robosuite')


@pytest.fixture(scope='session')
def libero_plugin(installed: Callable[[str], Path]) -> Path:
    """Where plugins/replan_agent_libero is installed, without LIBERO itself."""
    return installed('plugins/replan_agent_libero')


@pytest.fixture(scope='session')
def vamp_plugin(installed: Callable[[str], Path]) -> Path:
    """Where plugins/replan_agent_vamp is installed, without VAMP itself."""
    return installed('plugins/replan_agent_vamp')


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Puts a folder of packages on the path, for this process and those that it starts."""
    before = set(sys.modules)

    def put(folder: Path) -> None:
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setenv('PYTHONPATH', f'{folder}{os.pathsep}{os.environ.get("PYTHONPATH", "")}')
        folders.append(str(folder))

    folders: list[str] = []
    yield put
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], '__file__', '')).startswith(tuple(folders)):
            del sys.modules[name]


@pytest.fixture
def offered(on_path: Callable[[Path], None], tmp_path: Path) -> Callable[..., None]:
    """Offers a module's names to us, as an installed package does: skills='nod = name:Nod'."""
    def offer(name: str, source: str, **groups: str) -> None:
        folder = tmp_path / name
        about = folder / f'{name}-1.dist-info'
        about.mkdir(parents=True)
        (folder / f'{name}.py').write_text(source, 'utf-8')
        (about / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {name}\nVersion: 1\n')
        (about / 'entry_points.txt').write_text(
            '\n'.join(f'[replan_agent.{group}]\n{entry}' for group, entry in groups.items()))
        on_path(folder)

    return offer
