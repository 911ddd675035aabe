# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""RAI's scenarios: imported without its robot stack, built in our world, scored by its code.

The stand-in has the module names of RAI's packages, and what the real ones import at the top.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from replan_agent_bench.all_suites import find_suite, suite_names
from replan_agent_bench.command import bench_settings
from replan_agent_bench.outcome import Job

from replan_agent.app.cli.main import WRONG_USE, main
from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape

PLUGIN = Path(__file__).resolve().parents[3] / 'replan_agent_rai'
FILES = {
    'rai/__init__.py': 'raise ImportError("the robot stack is not here")',
    'rai/types/__init__.py': """
from types import SimpleNamespace as Pose
def stamped(x, y, z):
    return Pose(pose=Pose(position=Pose(x=x, y=y, z=z), orientation=Pose(x=0, y=0, z=0, w=1)))
""",
    'rai_sim/__init__.py': 'import rclpy',
    'rai_sim/simulation_bridge.py': """
from dataclasses import dataclass
from rai.types import Pose
@dataclass(eq=False)
class SpawnedEntity:
    name: str
    prefab_name: str
    pose: object
    id: str = ''
""",
    'rai_bench/__init__.py': 'import langchain',
    'rai_bench-0.1.2.dist-info/METADATA': 'Metadata-Version: 2.1\nName: rai-bench\n'
                                          'Version: 0.1.2\n',
    'rai_bench/manipulation_o3de/__init__.py': 'from .benchmark import missing',
    'rai_bench/manipulation_o3de/tasks.py': """
from rclpy.impl.rcutils_logger import RcutilsLogger
class PlaceCubesTask:
    task_prompt = 'make sure that all cubes are adjacent to at least one cube'
    def calculate_correct(self, entities):
        near = [e for e in entities if any(
            abs(e.pose.pose.position.y - o.pose.pose.position.y) < 0.1
            for o in entities if o.name != e.name)]
        return len(near), len(entities) - len(near)
    def calculate_score(self, bridge):
        entities = bridge.get_scene_state().entities
        return self.calculate_correct(entities)[0] / len(entities)
""",
    'rai_bench/manipulation_o3de/predefined/scenarios.py': """
from types import SimpleNamespace
from langchain.tools import BaseTool
from rai.types import stamped
from rai_bench.base_benchmark import BaseBenchmark
from rai_bench.manipulation_o3de.tasks import PlaceCubesTask
from rai_sim.simulation_bridge import SpawnedEntity
class Benchmark(BaseBenchmark):
    tools: list[BaseTool]
CONFIGS_DIR = 'somewhere/'
def get_scenarios():
    entities = [SpawnedEntity('cube1', 'red_cube', stamped(0.5, 0.1, 0.05)),
                SpawnedEntity('cube2', 'blue_cube', stamped(0.5, 0.1, 0.15)),
                SpawnedEntity('corn1', 'apple', stamped(0.4, -0.3, 0.05))]
    return [SimpleNamespace(task=PlaceCubesTask(), level='easy', scene_config=SimpleNamespace(
        entities=entities), scene_config_path=CONFIGS_DIR + '2c_1a.yaml')]
"""}


@pytest.fixture
def rai(tmp_path, on_path) -> Path:
    """A stand-in for RAI in a folder, and the suite as an installed plug-in offers it."""
    for name, text in FILES.items():
        path = tmp_path / 'rai' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, 'utf-8')
    about = tmp_path / 'site' / 'replan_agent_rai-1.dist-info'
    about.mkdir(parents=True)
    (about / 'METADATA').write_text('Metadata-Version: 2.1\nName: replan-agent-rai\nVersion: 1\n')
    (about / 'entry_points.txt').write_text(
        '[replan_agent.suites]\nrai = replan_agent_rai.rai_suite:RAI\n')
    on_path(PLUGIN)
    on_path(tmp_path / 'site')
    for name in [n for n in sys.modules if n.partition('.')[0] in ('rai', 'rai_sim', 'rai_bench')]:
        del sys.modules[name]
    return tmp_path / 'rai'


def test_an_installed_package_adds_its_suite(rai):
    assert 'rai' in suite_names()
    assert find_suite('rai').rows[0].name == 'trivial_left'
    assert sum(row.episodes for row in find_suite('rai').rows) == 160


def test_scenes_are_built_and_scored_without_the_robot_stack(rai):
    from replan_agent_rai.rai_worlds import cases
    before = set(sys.modules)
    case, = cases(rai, 'easy', 'PlaceCubesTask')
    assert not {'rclpy', 'langchain'} & (set(sys.modules) - before)
    assert [(o.name, o.position) for o in case.spec.objects] == [
        ('red_cube_1', (0.5, 0.1, None)), ('apple_1', (0.4, -0.3, None)),
        ('blue_cube_1', (0.5, 0.1, pytest.approx(0.06)))]
    now = [SceneObject(o.name, Shape.BOX, o.size, Pose((*o.position[:2], 0.02)), '', True)
           for o in case.spec.objects]
    assert case.score(now) == pytest.approx(2 / 3)
    assert case.cubes_are_right(now)
    away = [replace(o, pose=Pose((0.5, 0.4, 0.02))) if o.name == 'red_cube_1' else o for o in now]
    assert case.score(away) < case.score(now)
    assert not case.cubes_are_right(away)


def test_the_table_says_what_the_score_counts_beyond_the_words(rai):
    suite = find_suite('rai')
    outcome, = suite.run(bench_settings(), Job('rai', 'easy_cubes', 0, 'stub', problems=rai), None)
    assert (outcome.claimed, outcome.success, outcome.beyond) == (True, False, True)
    assert outcome.final_reason == 'plan_complete'  # a tower is not neighbours: one is moved
    line, _ = suite.summaries([outcome])
    assert (line.false_successes, line.own.false_named) == (1, 0)
    assert suite.notes([outcome])[0] == 'mean score by level: easy 0.667 (n = 1)'


def test_what_is_missing_is_named_before_any_episode(rai, tmp_path):
    suite = find_suite('rai')
    assert suite.check is not None
    with pytest.raises(ConfigError, match='needs rai, rai_bench, rai_sim, which is not in .*pip'):
        suite.check([Job('rai', 'easy_cubes', 0, 'stub', problems=tmp_path / 'empty')])
    with pytest.raises(ConfigError, match='has 1 scenarios, numbered from 0: there is no 1'):
        suite.check([Job('rai', 'easy_cubes', 1, 'stub', problems=rai)])


def test_another_version_of_rai_is_refused(rai):
    about = rai / 'rai_bench-0.1.2.dist-info'
    about.joinpath('METADATA').write_text('Metadata-Version: 2.1\nName: rai-bench\nVersion: 0.2\n')
    about.rename(rai / 'rai_bench-0.2.dist-info')
    with pytest.raises(ConfigError, match='of rai-bench 0.1.2, and 0.2 is there'):
        find_suite('rai').check([Job('rai', 'easy_cubes', 0, 'stub', problems=rai)])


def test_the_scorers_get_entities_of_their_own_class_whatever_else_was_imported(rai, monkeypatch):
    from replan_agent_rai.rai_package import scenarios
    from replan_agent_rai.rai_worlds import cases
    monkeypatch.setitem(sys.modules, 'rai_sim.simulation_bridge', ModuleType('another'))
    case, = cases(rai, 'easy', 'PlaceCubesTask')
    assert isinstance(scenarios(rai)[0].scene_config.entities[0], case.entity_type)


@pytest.mark.parametrize('name', ['mbm', 'rai'])
def test_a_suite_says_itself_that_its_problems_are_from_others(rai, name):
    assert find_suite(name).problems and not find_suite('many').problems


@pytest.mark.parametrize('text', ['raise SystemExit(0)', 'raise RuntimeError("boo")', 'def f(:',
                                  'def get_scenarios():\n    return {}["gone"]\n'])
def test_a_rai_that_cannot_be_imported_is_one_sentence_and_never_a_quiet_end(rai, text):
    (rai / 'rai_bench/manipulation_o3de/predefined/scenarios.py').write_text(
        f'import rai_sim.simulation_bridge\n{text}\n')
    with pytest.raises(ConfigError, match='RAI cannot be used: .*pip install'):
        find_suite('rai').check([Job('rai', 'easy_cubes', 0, 'stub', problems=rai)])


def test_a_package_without_its_version_is_named(rai):
    (rai / 'rai_bench-0.1.2.dist-info' / 'METADATA').unlink()
    with pytest.raises(ConfigError, match='the version of rai-bench is not known'):
        find_suite('rai').check([Job('rai', 'easy_cubes', 0, 'stub', problems=rai)])


def test_a_film_of_a_scenario_that_is_not_there_is_wrong_use(rai, capsys):
    assert main(['bench', '--suite', 'rai', '--problems', str(rai), '--rows', 'easy_cubes',
                 '--seed', '7', '--n', '1', '--video', 'x.mp4']) == WRONG_USE
    assert 'has 1 scenarios, numbered from 0: there is no 7' in capsys.readouterr().err
