# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""package.xml, setup.py and the code say the same things."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
import types
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
import yaml
from built_wheels import copy_sources

import replan_agent
from replan_agent.app.build import share

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / 'replan_agent'

# Where the name on PyPI is not the name that is imported.
DISTRIBUTION = {'cv2': 'opencv-python-headless', 'yaml': 'PyYAML', 'tf2_ros': 'tf2_ros_py'}
CONDA_NAME = {'mujoco': 'mujoco-python', 'opencv-python-headless': 'py-opencv',
              'PyYAML': 'pyyaml'}  # on conda-forge
# The same dependency as rosdep calls it, where that is not python3-<name>.
ROSDEP_KEY = {
    'opencv-python-headless': 'python3-opencv',
    'PyYAML': 'python3-yaml',
    'mujoco': 'python3-mujoco-pip',
    'openai': 'python3-openai-pip',
}


@pytest.fixture
def setup_arguments(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What setup.py hands to setuptools."""
    monkeypatch.chdir(ROOT)
    return arguments_of(ROOT / 'setup.py')


def arguments_of(file: Path) -> dict[str, Any]:
    """What a setup.py hands to setuptools, which need not be installed."""
    arguments: dict[str, Any] = {}
    fake = types.ModuleType('setuptools')
    fake.__dict__.update(
        setup=lambda **given: arguments.update(given), find_packages=lambda **_: []
    )
    with mock.patch.dict(sys.modules, setuptools=fake):
        runpy.run_path(str(file))
    return arguments


@pytest.fixture
def manifest() -> ElementTree.Element:
    return ElementTree.parse(ROOT / 'package.xml').getroot()


def names(requirements: list[str]) -> set[str]:
    return {re.split(r'[^\w.-]', requirement)[0] for requirement in requirements}


def imported_packages() -> set[str]:
    """Top-level names that the package imports, lazily or not, and that are not its own."""
    found = set()
    for file in SOURCE.rglob('*.py'):
        for node in ast.walk(ast.parse(file.read_text('utf-8'))):
            if isinstance(node, ast.Import):
                found.update(alias.name.split('.')[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found.add(node.module.split('.')[0])
    return found - set(sys.stdlib_module_names) - {'replan_agent'}


def test_the_version_is_the_same_everywhere(
    setup_arguments: dict[str, Any], manifest: ElementTree.Element
) -> None:
    import replan_agent

    version = replan_agent.__version__
    assert setup_arguments['version'] == manifest.findtext('version') == version
    interfaces = ElementTree.parse(ROOT / 'interfaces/replan_agent_interfaces/package.xml')
    assert interfaces.findtext('version') == version
    newest = re.search(r'^## (\S+) \(', (ROOT / 'CHANGELOG.md').read_text('utf-8'), re.MULTILINE)
    assert newest and newest[1] == version, 'the newest heading of the changelog'
    assert f'version: {version}\n' in (ROOT / 'CITATION.cff').read_text('utf-8')


def test_name_licence_and_maintainer_agree(
    setup_arguments: dict[str, Any], manifest: ElementTree.Element
) -> None:
    assert setup_arguments['name'] == manifest.findtext('name') == 'replan_agent'
    assert setup_arguments['license'] == manifest.findtext('license') == 'Apache-2.0'
    assert setup_arguments['maintainer'] == manifest.findtext('maintainer')
    assert (ROOT / 'LICENSE').read_text().lstrip().startswith('Apache License')


def test_the_manifest_is_an_ament_python_package(manifest: ElementTree.Element) -> None:
    assert manifest.get('format') == '3'
    assert manifest.findtext('export/build_type') == 'ament_python'
    assert (ROOT / 'resource' / 'replan_agent').is_file()


def test_every_import_is_declared(
    setup_arguments: dict[str, Any], manifest: ElementTree.Element
) -> None:
    extras = setup_arguments['extras_require']
    runtime = [extras[extra] for extra in extras if extra not in ('test', 'dev', 'docs')]
    declared = names([*setup_arguments['install_requires'], *sum(runtime, [])])
    ros = {element.text for element in manifest if element.tag.endswith('depend')}
    missing = {
        name
        for name in imported_packages()
        if DISTRIBUTION.get(name, name) not in {*declared, *ros}
    }
    assert not missing, 'neither in setup.py nor, for ROS packages, in package.xml'


def test_what_pip_installs_rosdep_installs_too(
    setup_arguments: dict[str, Any], manifest: ElementTree.Element
) -> None:
    vlm = setup_arguments['extras_require']['vlm']
    wanted = names([*setup_arguments['install_requires'], *vlm])
    keys = {ROSDEP_KEY.get(name, f'python3-{name}') for name in wanted}
    assert keys <= {element.text for element in manifest.iter('exec_depend')}


def test_what_rosdep_does_not_install_is_listed_as_such(
    setup_arguments: dict[str, Any], manifest: ElementTree.Element
) -> None:
    wanted = {extra: names(needs) for extra, needs in setup_arguments['extras_require'].items()
              if extra != 'test'}
    for package in ('bench', 'page', 'export', 'doctor'):
        given = arguments_of(ROOT / 'plugins' / f'replan_agent_{package}' / 'setup.py')
        needs = [*given['install_requires'], *sum(given.get('extras_require', {}).values(), [])]
        wanted[package] = {name for name in names(needs) if not name.startswith('replan_agent')}
    page = (ROOT / 'docs' / 'releasing.md').read_text('utf-8')
    listed = dict(re.findall(r'^\| `([\w.-]+)` \| ([\w, ]+) \|', page, re.MULTILINE))
    keys = {element.text for element in manifest if element.tag.endswith('depend')}
    for name in names(setup_arguments['install_requires']).union(*wanted.values()):
        has_key = ROSDEP_KEY.get(name, f'python3-{name}') in keys
        assert has_key != (name in listed), f'{name}: either a key in package.xml, or in the list'
    assert listed == {name: ', '.join(sorted(w for w in wanted if name in wanted[w]))
                      for name in listed}


def test_the_conda_recipe_asks_for_the_same(setup_arguments: dict[str, Any]) -> None:
    recipe = yaml.safe_load((ROOT / 'conda' / 'recipe.yaml').read_text('utf-8'))
    needs = (re.fullmatch(r'([\w-]+)(>=.+)', need) for need in setup_arguments['install_requires'])
    wanted = [f'{CONDA_NAME.get(need[1], need[1])} {need[2]}' for need in needs if need]
    python = f'python {setup_arguments["python_requires"]}'
    assert recipe['requirements']['run'] == [python, *wanted]
    assert recipe['package']['version'] == setup_arguments['version']
    assert recipe['about']['summary'] == setup_arguments['description']
    (command,) = recipe['build']['python']['entry_points']
    assert command in setup_arguments['entry_points']['console_scripts']


def test_the_container_files_name_what_there_is() -> None:
    text = (ROOT / 'Containerfile').read_text('utf-8')
    (named,) = re.findall(r'tools/workspace /work ([\w ]+)', text)
    assert all((ROOT / 'plugins' / name / 'package.xml').is_file() for name in named.split())
    (launch,) = re.findall(r'"launch", "replan_agent", "(.*?)"', text)
    assert (ROOT / 'launch' / launch).is_file()
    folder = ROOT / '.devcontainer'
    about = yaml.safe_load('\n'.join(  # JSON is YAML, but for its comments
        line for line in (folder / 'devcontainer.json').read_text('utf-8').splitlines()
        if not line.startswith('//')))
    assert (folder / about['build']['dockerfile']).is_file()
    assert (folder / about['build']['context']).resolve() == ROOT


def test_no_requirement_forces_numpy_2(setup_arguments: dict[str, Any]) -> None:
    assert 'numpy>=1.26' in setup_arguments['install_requires']


def test_every_folder_with_code_is_a_package() -> None:
    folders = {file.parent for file in SOURCE.rglob('*.py')}
    assert [str(f) for f in sorted(folders) if not (f / '__init__.py').is_file()] == []


def test_every_entry_point_names_a_function_that_exists(setup_arguments: dict[str, Any]) -> None:
    entries = [entry for group in setup_arguments['entry_points'].values() for entry in group]
    assert 'replan-agent = replan_agent.app.cli.main:main' in entries
    for entry in entries:  # read, not imported: the nodes need ROS
        _, module, function = re.split(r' = |:', entry)
        source = (ROOT / module.replace('.', '/')).with_suffix('.py').read_text('utf-8')
        defined = {name for node in ast.parse(source).body for name in (
            [node.name] if isinstance(node, ast.FunctionDef) else
            [ast.unparse(t) for t in getattr(node, 'targets', ())])}
        assert function in defined, entry


def test_share_path_finds_the_checkout() -> None:
    assert share.share_path('package.xml') == ROOT / 'package.xml'


def test_share_path_finds_a_colcon_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / 'share' / 'replan_agent'
    (installed / 'config').mkdir(parents=True)
    (installed / 'package.xml').touch()
    (installed / 'config' / 'only_here.yaml').touch()
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/elsewhere:{tmp_path}')
    assert share.share_path('config', 'only_here.yaml').parent == installed / 'config'


def test_share_path_ignores_a_folder_of_someone_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'share' / 'replan_agent' / 'no_marker').mkdir(parents=True)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    with pytest.raises(FileNotFoundError):
        share.share_path('no_marker')


def test_share_path_names_the_places_it_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('AMENT_PREFIX_PATH', '/opt/ros/none')
    with pytest.raises(FileNotFoundError) as error:
        share.share_path('config', 'no_such.yaml')
    for prefix in (sys.prefix, '/opt/ros/none'):
        assert f'{prefix}/share/replan_agent' in str(error.value)
    assert str(ROOT) in str(error.value)


def test_a_program_beside_the_clone_finds_the_package_in_it(tmp_path):
    """The clone's folder has the package's name: Python takes it for an empty package."""
    if int(version('setuptools').split('.')[0]) < 64:
        pytest.skip('older ones always add a path')
    clone, site = tmp_path / 'replan_agent', tmp_path / 'site'
    copy_sources(ROOT, clone)
    site.mkdir()
    made = subprocess.run(
        [sys.executable, '-c', 'import sys; from setuptools import build_meta; '
         'print(build_meta.build_editable(sys.argv[1]))', site],
        cwd=clone, capture_output=True, text=True, check=True)
    with ZipFile(site / made.stdout.split()[-1]) as wheel:
        wheel.extractall(site)
    program = tmp_path / 'program.py'
    program.write_text(f'import site\nsite.addsitedir({str(site)!r})\n'
                       'from replan_agent import __version__\nprint(__version__)\n')
    done = subprocess.run([sys.executable, '-S', program], capture_output=True, text=True,
                          check=False, env={})
    assert done.stdout.strip() == replan_agent.__version__, done.stderr
