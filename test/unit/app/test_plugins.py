# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parts of packages that are installed beside ours: found by name, broken ones named."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from replan_agent.app.build import plugins
from replan_agent.app.build.build_planner import BUILT_IN
from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.build.plugins import (
    OURS,
    PlugInError,
    installed,
    installed_names,
    part_named,
)
from replan_agent.app.build.robot_cell import RobotParts, build_cell
from replan_agent.app.build.skill_set import skill_set
from replan_agent.app.cli.main import main, parser
from replan_agent.domain.config import PLANNERS, ConfigError

ROOT = Path(__file__).resolve().parents[3]


def test_an_installed_planner_is_a_choice_in_settings_and_on_the_command_line(
    small_plugin, on_path, tmp_path
):
    settings = tmp_path / 'settings.yaml'
    settings.write_text('planner: nodder\n', 'utf-8')
    with pytest.raises(ConfigError,
                       match="'nodder' is not allowed; choose from: search, stub, vlm"):
        load_config(settings)
    on_path(small_plugin)
    assert load_config(settings).planner == 'nodder'
    assert parser().parse_args(['run', 'nod', '--planner', 'nodder']).planner == 'nodder'


def test_a_wrong_name_lists_ours_and_the_installed_ones(small_plugin, on_path, tmp_path):
    on_path(small_plugin)
    with pytest.raises(ConfigError, match="'x' is not one of: search, stub, vlm,.* nodder"):
        part_named(PLANNERS, 'x', BUILT_IN)
    settings = tmp_path / 'settings.yaml'
    settings.write_text('planner: x\n', 'utf-8')
    with pytest.raises(ConfigError, match='choose from: search, stub, vlm,.* nodder'):
        load_config(settings)


@pytest.mark.parametrize('group', OURS)
def test_a_part_of_ours_that_is_not_installed_names_its_package(group, monkeypatch):
    monkeypatch.setattr(plugins, 'installed', lambda group: ())
    for name, package in OURS[group].items():
        assert (ROOT / 'plugins' / package).is_dir()
        with pytest.raises(ConfigError, match=f"{name}' is in the package {package}, which is not "
                                              f'installed: .* pip install ./plugins/{package}$'):
            part_named(group, name, BUILT_IN)


@pytest.mark.parametrize('setting, package', [('motion_planner: moveit', 'replan_agent_moveit'),
                                              ('agent: {memory: m.db}', 'replan_agent_memory'),
                                              ('agent: {monitor: model}', 'replan_agent_advice')])
def test_a_part_of_ours_that_is_not_installed_may_be_set_and_names_its_package(
        tmp_path, monkeypatch, setting, package):
    monkeypatch.setattr(plugins, 'installed', lambda group: ())
    settings = tmp_path / 'settings.yaml'
    settings.write_text(setting, 'utf-8')
    with pytest.raises(ConfigError, match=f'is in the package {package}'):
        Simulation('pick_cube', config=load_config(settings)).run('go home')


def test_our_packages_come_before_others_that_use_their_names(offered, caplog, monkeypatch):
    group = 'replan_agent.tests'
    monkeypatch.setitem(OURS, group, {'x': 'zz_ours'})
    offered('aa_other', 'x = 1', tests='x = aa_other:x')
    offered('zz_ours', 'x = 1', tests='x = zz_ours:x')
    assert [entry.dist.name for entry in installed(group)] == ['zz_ours', 'aa_other']
    assert plugins.entry_named(group, 'x', ()) is installed(group)[0]
    assert 'aa_other is not used' in caplog.text


def test_an_installed_skill_is_added_to_the_standard_ones(small_plugin, on_path, capsys):
    assert 'nod' not in skill_set(('*',), simulated=True).names()
    on_path(small_plugin)
    assert skill_set(('*',), simulated=True).names()[-1] == 'nod'
    assert main(['skills'], plug_ins=()) == 0
    assert 'nod(times=2)' in capsys.readouterr().out


def test_on_a_real_arm_only_the_skills_that_the_settings_name_are_added(small_plugin, on_path):
    on_path(small_plugin)
    assert 'nod' not in skill_set(('*',), simulated=False).names()
    assert 'nod' in skill_set(('nod',), simulated=False).names()
    assert 'nod' not in skill_set((), simulated=True).names()


def test_a_skill_that_is_named_and_not_installed_is_refused(small_plugin, on_path):
    on_path(small_plugin)
    with pytest.raises(ConfigError, match=r"skills: 'nodd' is not installed; .*from: \*, nod$"):
        skill_set(('nodd',), simulated=False)


def test_a_skill_that_is_not_named_is_not_even_loaded(offered, caplog):
    offered('rusty', BROKEN, skills='grind = rusty:Grind')
    skill_set(('*',), simulated=False)
    assert not caplog.messages


def test_an_installed_robot_is_built_by_its_name_and_gets_the_scene_it_knows(offered):
    offered('puppets', PUPPET, robots='puppet = puppets:make')
    config = replace(load_config(), robot_source='puppet')
    cell = build_cell(RobotParts(config, 'a scene that only it knows', 7))
    assert cell.facts == {'scene': 'a scene that only it knows', 'seed': 7}


PUPPET = """
from replan_agent import RobotCell

def make(parts):
    return RobotCell(None, facts={'scene': parts.scene, 'seed': parts.seed})
"""

BROKEN = 'import a_module_that_there_is_not\n'


def test_a_broken_skill_is_left_out_and_named_in_one_sentence(offered, caplog):
    offered('rusty', BROKEN, skills='grind = rusty:Grind')
    with caplog.at_level(logging.WARNING):
        names = skill_set(('*',), simulated=True).names()
    assert 'grind' not in names and 'pick' in names
    assert caplog.messages == [
        "skill 'grind' of package rusty cannot be used: ModuleNotFoundError: No module named "
        "'a_module_that_there_is_not'; it is left out"]


@pytest.mark.parametrize(('source', 'problem'), [
    ('Grind = 3', "'int' object is not callable"),
    ('class Grind: pass', 'it must give a Skill, not '),
    ('from replan_agent.execute.skills.home import Home as Grind',
     "a skill named 'home' is registered already"),
])
def test_what_is_no_usable_skill_is_left_out_too(offered, caplog, source, problem):
    offered('rusty', source, skills='grind = rusty:Grind')
    with caplog.at_level(logging.WARNING):
        assert 'pick' in skill_set(('*',), simulated=True).names()
    (sentence,) = caplog.messages
    assert sentence.startswith("skill 'grind' of package rusty cannot be used: ")
    assert problem in sentence


def test_a_skill_whose_spec_contradicts_itself_is_left_out(offered, caplog):
    offered('rusty', GRIND, skills='grind = rusty:Grind')
    with caplog.at_level(logging.WARNING):
        assert 'grind' not in skill_set(('*',), simulated=True).names()
    (sentence,) = caplog.messages
    assert sentence.startswith("skill 'grind' of package rusty cannot be used: ValueError: skill "
                               "'grind': arguments: cannot be written as JSON: ")


GRIND = """
from replan_agent import Skill, SkillSpec, succeeded

class Grind(Skill):
    spec = SkillSpec('grind', 'Grind.', {'type': 'object', 'properties': {'a': {'enum': {1, 2}}}})
    def run(self, call): return succeeded()
    def verify(self, call): return succeeded()
"""


@pytest.mark.parametrize('source', [
    BROKEN, 'def Dreamer(parts): raise OSError("no dreams")', 'import sys; sys.exit(3)',
    'def Dreamer(parts): raise SystemExit(3)', 'def Dreamer(parts): return None'])
def test_a_broken_planner_that_is_asked_for_is_wrong_use(offered, tmp_path, capsys, source):
    offered('rusty', source, planners='dreamer = rusty:Dreamer')
    assert main(['run', 'nod', '--planner', 'dreamer', '--out', str(tmp_path / 'run')],
                plug_ins=()) == 2
    said = capsys.readouterr().err
    assert "planner 'dreamer' of package rusty cannot be used: " in said
    assert len(said.splitlines()) == 1


def test_a_broken_planner_that_is_not_used_does_no_harm(offered):
    offered('rusty', BROKEN, planners='dreamer = rusty:Dreamer')
    assert installed_names(PLANNERS)[-1] == 'dreamer'
    assert part_named(PLANNERS, 'stub', BUILT_IN) is BUILT_IN['stub']


def test_a_name_that_two_packages_offer_is_ambiguous(offered):
    source = 'def Dreamer(parts): return None'
    offered('one', source, planners='dreamer = one:Dreamer')
    offered('two', source, planners='dreamer = two:Dreamer')
    with pytest.raises(PlugInError, match='package one and package two both offer it'):
        part_named(PLANNERS, 'dreamer', BUILT_IN)


def test_our_own_name_cannot_be_taken(offered):
    offered('rusty', BROKEN, planners='stub = rusty:Stub')
    assert part_named(PLANNERS, 'stub', BUILT_IN) is BUILT_IN['stub']


@pytest.mark.parametrize(('group', 'setting', 'problem'), [
    ('perceptions', 'perception', 'None is not a perception: it has no name'),
    ('robots', 'robot_source', 'it must give a RobotCell, not None'),
    ('motion_planners', 'motion_planner', 'it must give a JointPlanner, not None')])
def test_a_part_that_makes_nothing_is_wrong_use(
    offered, tmp_path, capsys, group, setting, problem
):
    offered('rusty', 'def make(parts): return None', **{group: 'dreamer = rusty:make'})
    settings = tmp_path / 'settings.yaml'
    settings.write_text(f'{setting}: dreamer\n', 'utf-8')
    assert main(['run', 'nod', '--config', str(settings), '--out', str(tmp_path / 'run')],
                plug_ins=()) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert "'dreamer' of package rusty cannot be used: TypeError: " in said and problem in said


@pytest.mark.parametrize('source', [
    BROKEN, 'import sys; sys.exit(3)', 'def add(): pass',
    'def add(commands): raise SystemExit(3)',
    'def add(commands): commands.add_parser("grind"); 1 / 0'])
def test_a_broken_command_is_named_and_the_others_work(offered, source, capsys, caplog):
    offered('rusty', source, commands='grind = rusty:add')
    with pytest.raises(SystemExit, match='0'):
        main(['--help'])
    assert 'list the scenes' in capsys.readouterr().out
    assert "command 'grind' of package rusty cannot be used" in caplog.text
    assert 'Traceback' not in caplog.text


def test_a_command_that_takes_one_of_our_names_leaves_ours_alone(offered, capsys):
    offered('rusty', 'def add(commands): commands.add_parser("scenes")',
            commands='grind = rusty:add')
    with pytest.raises(SystemExit, match='0'):
        main(['--help'])
    assert capsys.readouterr().out.count('list the scenes') == 1
    assert main(['scenes']) == 0
    assert 'tabletop' in capsys.readouterr().out


def test_a_command_that_fails_half_way_is_not_a_choice(offered, capsys):
    offered('rusty', 'def add(commands): commands.add_parser("grind"); 1 / 0',
            commands='grind = rusty:add')
    with pytest.raises(SystemExit):
        main(['grind'])
    assert "invalid choice: 'grind'" in capsys.readouterr().err
