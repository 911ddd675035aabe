# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm is a value: nobody outside arms/ knows which one it has."""

from __future__ import annotations

import ast
import functools
import re
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from our_sources import files

from replan_agent.arms import arm_names
from replan_agent.arms.arm_names import ARM_NAMES, DEFAULT_ARM, NEWEST_ARM, OTHER_ARMS
from replan_agent.arms.known_arms import ARMS, arm_named, told_arm
from replan_agent.domain.config import ConfigError, RobotConfig, build

AN_ARM = re.compile(r'franka|panda|fr3', re.IGNORECASE)
OF_AN_ARM = ('replan_agent.arms.franka', 'arms.franka', 'arms import franka')
JOINTS = 7
# What is free beside a part, as FINGER_GAP_M, is chosen; a part has the size that it has.
OF_A_PART = re.compile(r'_?((MAX|HALF)_)?(REACH|ARM|SHOULDER|ELBOW|WRIST|FLANGE|PALM|FINGER|TIP)'
                       r'(_(HALF|ROOM))?(_M)?$')

# The driver's own messages, what its users set, and the name of its package.
DRIVERS = {
    'app/build/plugins.py', 'ros/arm/arm_interfaces.py', 'ros/arm/grippers.py',
    'ros/arm/ros_control_robot.py', 'ros/arm/self_stops.py'}


@functools.lru_cache(maxsize=1)  # each file is read in three ways
def nodes(source: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(source)))


def arms_in(source: str) -> set[str]:
    """What a source says of one arm: its name in a text, its module in an import."""
    texts = {node.value for node in nodes(source) if isinstance(node, ast.Constant)
             and isinstance(node.value, str) and AN_ARM.search(node.value)}
    lines = [ast.unparse(node) for node in nodes(source)
             if isinstance(node, (ast.Import, ast.ImportFrom))]
    return texts | {line for line in lines if any(part in line for part in OF_AN_ARM)}


def joint_counts_in(source: str) -> list[int]:
    """The lines that count seven of something: a shape, a range, a repetition."""
    def is_seven(node: ast.AST) -> bool:
        return isinstance(node, ast.Constant) and node.value == JOINTS

    found = []
    for node in nodes(source):
        match node:
            case ast.Call(func=ast.Name(id='range' | '_numbers'), args=args):
                counted = args
            case ast.Call(func=ast.Attribute(attr='zeros' | 'ones' | 'empty' | 'full'), args=args):
                counted = [part for a in args[:1] for part in ast.walk(a)]
            case ast.BinOp(op=ast.Mult(), left=ast.Tuple(), right=right):
                counted = [right]
            case ast.Slice(lower=lower, upper=upper):
                counted = [part for part in (lower, upper) if part is not None]
            case _:
                continue
        found += [node.lineno for part in counted if is_seven(part)]
    return sorted(found)


def arm_numbers_in(source: str) -> list[int]:
    """The lines with the numbers of an arm: its joints in a row, or a length of a part of it."""
    def are_joints(row: ast.AST) -> bool:
        try:
            values = sorted(map(float, ast.literal_eval(row)))
        except (TypeError, ValueError):
            return False
        return len(values) == JOINTS and bool(np.ptp(np.diff(values)) > 1e-9)  # no points to try

    def has_float(node: ast.AST) -> bool:
        return any(isinstance(part, ast.Constant) and isinstance(part.value, float)
                   for part in ast.walk(node))

    found = set()
    for node in nodes(source):
        match node:
            case ast.Tuple() | ast.List():
                is_found = are_joints(node)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                is_found = any(OF_A_PART.match(ast.unparse(name)) and has_float(value)
                               for name, value in zip(names, values))
            case ast.Assign(targets=[name]) | ast.AnnAssign(target=name):
                is_found = bool(OF_A_PART.match(ast.unparse(name))) and has_float(node)
            case _:
                continue
        found |= {node.lineno} if is_found and has_float(node) else set()
    return sorted(found)


def outside() -> dict[str, str]:
    """The core without arms/: each file and its source."""
    return {file: path.read_text(encoding='utf-8') for file, path in files().items()
            if not file.startswith(('arms/', 'replan_agent_'))}


def test_no_module_outside_arms_names_an_arm_counts_its_joints_or_has_its_numbers():
    found = {file: (sorted(arms_in(source)) if file not in DRIVERS else [],
                    joint_counts_in(source), arm_numbers_in(source))
             for file, source in outside().items()}
    assert not {file: each for file, each in found.items() if any(each)}, (
        'take the ArmModel from whoever builds the part; ask it for its joint_count; '
        'numbers are fields of it, or of its HandShape')


def test_every_exception_is_still_one():
    sources = outside()
    for file in DRIVERS:
        assert arms_in(sources[file]), file


def test_the_names_of_the_settings_are_those_of_the_arms():
    assert tuple(ARMS) == ARM_NAMES
    assert {DEFAULT_ARM, NEWEST_ARM} <= set(ARM_NAMES)
    for name, arm in ARMS.items():
        assert arm.name == name and arm_named(name) is arm
        assert len(arm.joint_names) == arm.joint_count == len(arm.mounts) == len(arm.home)
        assert {len(joints) for _, joints in arm.look_postures} == {arm.joint_count}
        assert len(arm.shapes.links) == len(arm.dynamics.links) == arm.joint_count + 1


def test_an_unknown_arm_lists_those_that_are_known():
    assert told_arm('', 'left/fr3_link0') is ARMS['fr3'] and told_arm('no', 'world') is None
    assert told_arm('panda', 'world') is ARMS['panda']
    assert told_arm('no_such_arm', 'panda_link0') is None
    with pytest.raises(ValueError, match='choose from: panda, fr3'):
        arm_named('ur5')


def test_a_package_offers_arms_by_name_and_by_file(monkeypatch):
    read, asked = EntryPoint('file', 'math:sqrt', OTHER_ARMS), []
    one = EntryPoint('six_joints', 'math:sqrt', OTHER_ARMS)
    monkeypatch.setattr(arm_names, 'entry_points', lambda group: [read, one])
    monkeypatch.setattr(EntryPoint, 'load',
                        lambda entry: lambda arm: asked.append(arm) or ARMS['fr3'])
    assert arm_named('cell/my_arm.yaml') is arm_named('six_joints') is ARMS['fr3']
    assert asked == ['cell/my_arm.yaml', 'six_joints'] and arm_named('panda') is ARMS['panda']
    assert arm_names.base_frame('cell/my_arm.yaml') == 'my_arm_link0'
    assert build(RobotConfig, {'model': 'a/b.yaml'}, 'robot').frame == 'b_link0'
    for wrong in ('file', 'ur99'):
        with pytest.raises(ConfigError, match='model: .* choose from: .*, fr3v2_1, six_joints;'):
            build(RobotConfig, {'model': wrong}, 'x.yaml: robot')


def test_without_the_package_a_file_of_an_arm_says_which_one_reads_it(monkeypatch):
    monkeypatch.setattr(arm_names, 'entry_points', lambda group: [])
    with pytest.raises(ConfigError, match='pip install ./plugins/replan_agent_arms'):
        arm_named('my_arm.yaml')


def test_an_arm_is_found_however_it_is_written():
    assert arms_in('x = f"{y}_Panda"; from replan_agent.arms import franka_numbers')
    assert arms_in('from ..arms.franka import FR3') and not arms_in('from .arm_model import Box')
    assert arm_numbers_in(
        'Q = (0, 0.1, -0.2, 0.3, 0.4, 0.5, 0.6)\nFAR_M, REACH_M = 0.6, 0.8\nclass A:\n'
        '    FINGER_HALF_M: float = 0.01\nSHOULDER = (0, 0, 0.3)\nf([0.1, 0, 0, 0, 0, 0, 0])'
    ) == [1, 2, 4, 5, 6]
    assert not arm_numbers_in('TRIED = (0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3)\nREACH = arm.reach')
    assert not arm_numbers_in('FINGER_GAP_M = 0.004')
    assert joint_counts_in('q[:7]\nnp.zeros((2, 7))\n(0.0,) * 7\nrange(7)') == [1, 2, 3, 4]
