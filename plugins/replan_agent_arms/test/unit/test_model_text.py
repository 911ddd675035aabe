# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Models that cannot be used say so in one sentence; small faults are repaired and told."""

import os
import re
from pathlib import Path

import pytest
from replan_agent_arms.compiled import Compiled
from replan_agent_arms.model_parts import LONGEST_MESH
from replan_agent_arms.model_text import model_text
from small_arms import linkage, seven_joints, six_joints

from replan_agent.text.setting import ConfigError

MESH = '<geometry><mesh filename="{}"/></geometry>'
BOX = '<geometry><box size="0.15 0.15 0.1"/></geometry>'
INERTIA = six_joints().partition('<inertial>')[2].partition('</inertial>')[0]


def compiled(tmp_path: Path, text: str, name: str = 'arm.urdf') -> Compiled:
    path = tmp_path / name
    path.write_text(text, 'utf-8')
    return Compiled(model_text(path))


def test_speeds_efforts_and_mimics_come_from_the_urdf(tmp_path: Path) -> None:
    text = compiled(tmp_path, six_joints()).text
    assert text.velocity['elbow'] == 2.5 and text.effort['wrist3'] == 100
    assert text.mimics['right_slide'].joint == 'left_slide'


@pytest.mark.parametrize('old, new, said', [
    ('<link name="elbow_link"><inertial>' + INERTIA + '</inertial>', '<link name="elbow_link">',
     '<link name="elbow_link"> moves and has no <inertial>; write <inertial><mass'),
    ('<mass value="1.0"/>', '<mass value="0"/>', 'moves and has no mass above 0'),
    ('ixx="0.02"', 'ixx="0"', 'has an <inertia> that is not above 0'),
    ('<axis xyz="0 0 -1"/>', '<axis xyz="0 0 0"/>',
     '<joint name="wrist2"> has an axis without a direction; write <axis xyz="0 0 1"/>'),
    ('<axis xyz="0 0 -1"/>', '<axis xyz="up"/>', 'has an axis without a direction'),
    ('lower="-3.1" upper="3.1"', 'lower="3.1" upper="-3.1"',
     '<joint name="pan"> has limits from 3.1 to -3.1; write <limit lower="-3.1" upper="3.1"'),
    ('<limit lower="-3.1" upper="3.1" velocity="2.5" effort="100"/>', '',
     '<joint name="pan"> has no <limit>'),
    ('<parent link="base"/>', '<parent link="bass"/>',
     "has the parent 'bass', which no <link> is; did you mean 'base'"),
    (BOX, MESH.format('no.stl'), 'no.stl"> does not exist'),
    (BOX, MESH.format('package://mine/no.stl'), 'put the folder of that package above it'),
    (BOX, MESH.format('base.dae'), 'is of a kind that is not read; write a file of one of these'),
    ('<origin xyz="0 -0.10 0.40"', '<origin xyz="0 -100 400"',
     'as if it were in millimetres; write metres'),
    ('<box size="0.15 0.15 0.1"/>', '<box size="150 150 100"/>', 'as if it were in millimetres'),
    ('<robot name="small">', '<robot name="small" xmlns:xacro="x"><xacro:include/>',
     'make a URDF of it: xacro arm.urdf > made_arm.urdf'),
    ('lower="-3.1" upper="3.1"', 'lower="0" upper="0"', 'has limits from 0 to 0; write the range '
     'that it has, for example <limit lower="-3.14"'),
    ('<robot name="small">', '<sdf>', 'not valid XML'),
    *(('lower="-3.1"', f'lower="{text}"',
       f'<joint name="pan">: <limit lower="{text}"> is not a finite number; write <limit lower=')
      for text in ('nan', '-inf', 'abc', '1 2')),
    ('velocity="2.5"', 'velocity="inf"', '<limit velocity="inf"> is not a finite number'),
    ('<origin xyz="0 -0.10 0.40"', '<origin xyz="0 -0.10 nan"',
     '<joint name="elbow">: <origin xyz="0 -0.10 nan"> has a number that is not finite; write '
     'numbers, for example xyz="0 -0.10 0.1"'),
    ('<box size="0.15 0.15 0.1"/>', '<box size="1e400 0.15 0.1"/>', '<link name="base">: <box'),
    ('name="elbow" type', 'name="lift" type',
     '<joint name="lift"> is there twice; give each of them a name of its own'),
    ('<link name="elbow_link">', '<link name="lift_link">', '<link name="lift_link"> is there tw'),
    ('<joint name="lift" ', '<joint ', '<joint> number 2 has no name; write <joint name="joint2"'),
    ('<child link="wrist2_link"/>', '<child link="wrist1_link"/>', '<joint name="wrist2"> has the '
     'child wrist1_link, which <joint name="wrist1"> has too'),
    ('<parent link="base"/>', '<parent link="wrist3_link"/>', 'closes a loop: pan_link carries'),
    ('name="lift" type="revolute"', 'name="lift" type="revolut"',
     "has the type 'revolut'; did you mean 'revolute'"),
    ('lower="-3.1" upper="3.1"', 'lower="-180" upper="180"', '<joint name="pan"> has limits from '
     '-180 to 180, as if they were in degrees; write radians: upper="3.142"'),
    ('<mass value="1.0"/>', '<mass value="1000"/>', 'has a mass of 1000 kg, as if it were in '
     'grams; write kg: <mass value="1"/>'),
    ('mimic joint="left_slide"', 'mimic joint="lft_slide"', '<joint name="right_slide">: <mimic '
     'joint="lft_slide"> is no other joint; did you mean \'left_slide\''),
    ('mimic joint="left_slide"', 'mimic joint="right_slide"', 'is no other joint; '),
    ('<robot name="small">', '<?xml version="1.0" encoding="nope"?><robot name="small">',
     'unknown encoding: nope; write encoding="utf-8"'),
    ('<robot name="small">', f'<robot name="small">{"<link>" * 5000}{"</link>" * 5000}',
     'arm.urdf: <link> is in 100 other elements; write a model that is nested less'),
])
def test_bad_urdf_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in six_joints()
    with pytest.raises(ConfigError) as error:
        compiled(tmp_path, six_joints().replace(old, new))
    assert said in str(error.value) and 'arm.urdf' in str(error.value)
    assert '; ' in str(error.value) and '\n' not in str(error.value)


@pytest.mark.parametrize('old, new, said', [
    ('axis="0 1 0"', 'axis="0 0 0"', '<joint name="a2"> has an axis without a direction'),
    ('range="-2.8 2.8"', 'range="2 2"', 'has limits from 2 to 2; write the range that it has, or'),
    ('range="-2.8 2.8"', 'range="2.8 -2.8"', 'write range="-2.8 2.8": the lower one first'),
    ('<geom type="box" size="0.08 0.08 0.05" pos="0 0 0.05"/>', '<geom type="mesh" mesh="no"/>',
     '<mesh file="no.stl"> does not exist'),
    ('<worldbody>', '<include file="no.xml"/><worldbody>', 'no.xml"> does not exist'),
    ('<worldbody>', '<include file="arm.xml"/><worldbody>', 'arm.xml"> is in 6 other files, or'),
    ('type="capsule"', 'type="pill"', 'MuJoCo cannot read it'),
    ('<joint name="a2"', '<joint name="a1"', '<joint name="a1"> is there twice; give each'),
    ('name="a2_body"', 'name="a1_body"', '<body name="a1_body"> is there twice; give each of'),
    ('<body name="foot">', '<body name="foot"><freejoint/>', '<body name="foot"> floats freely; '
     'take its free joint out'),
    ('mass="1.5"', 'mass="0"', '<body name="a1_body"> moves and has no mass and inertia above 0'),
    ('range="-2.8 2.8"', 'range="-160 160"', '<joint name="a1"> has limits from -160 to 160 rad, '
     'as if they were in degrees; write radians, or <compiler angle="degree"/>'),
    ('pos="0 0 0.2"', 'pos="0 0 nan"', '<body pos="0 0 nan"> has a number that is not finite'),
])
def test_bad_mjcf_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        compiled(tmp_path, seven_joints().replace(old, new, 1).replace(
            '<worldbody>', '<asset><mesh file="no.stl"/></asset><worldbody>'), 'arm.xml')
    assert said in str(error.value) and 'arm.xml' in str(error.value)
    assert '\n' not in str(error.value)


def test_xacro_in_a_comment_makes_no_xacro_file(tmp_path: Path) -> None:
    told = '<!-- made by <xacro:include filename="arm.urdf.xacro"/> -->'
    compiled(tmp_path, six_joints().replace(
        '<robot name="small">', f'<robot name="small" xmlns:xacro="x">{told}'))


@pytest.mark.parametrize('encoding', ['utf-8', 'utf-16'])
def test_entities_are_refused_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / 'arm.urdf'
    path.write_bytes((f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY x "y">]>'
                      f'{six_joints()}').encode(encoding))
    with pytest.raises(ConfigError, match='urdf: <!ENTITY> is not read; write the texts in full$'):
        model_text(path)


def test_a_joint_that_turns_all_around_needs_no_limits(tmp_path: Path) -> None:
    around = six_joints().replace('name="pan" type="revolute"', 'name="pan" type="continuous"')
    made = compiled(tmp_path, around.replace('lower="-3.1" upper="3.1"',
                                             'lower="-inf" upper="inf"', 1))
    assert not made.model.jnt_limited[made.joints['pan']] and made.text.velocity['pan'] == 2.5


@pytest.mark.parametrize('name, text', [
    ('arm.urdf', six_joints().replace(BOX, MESH.format('base.stl'), 1)),
    ('arm.xml', seven_joints().replace('<geom type="box" size="0.08 0.08 0.05" pos="0 0 0.05"/>', (
        '<geom type="mesh" mesh="base"/>')).replace(
            '<worldbody>', '<asset><mesh file="base.stl"/></asset><worldbody>'))])
def test_a_mesh_that_is_no_file_or_too_long_is_not_opened(tmp_path: Path, name: str,
                                                          text: str) -> None:
    mesh = tmp_path / 'base.stl'
    os.mkfifo(mesh)
    with pytest.raises(ConfigError, match='it is not a file, but a device or a pipe; write'):
        compiled(tmp_path, text, name)
    mesh.unlink()
    mesh.touch()
    os.truncate(mesh, LONGEST_MESH + 1)
    with pytest.raises(ConfigError, match=r'base.stl"> has 50 MB; write a file of at most'):
        compiled(tmp_path, text, name)


def test_other_files_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='is no model of an arm'):
        compiled(tmp_path, '<sdf/>')


def test_a_mesh_of_a_package_is_found_in_the_folders_above(tmp_path: Path) -> None:
    (tmp_path / 'mine' / 'urdf').mkdir(parents=True)
    corners = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
    (tmp_path / 'mine' / 'base.obj').write_text(
        '\n'.join([*(f'v {x} {y} {z}' for x, y, z in corners), 'f 1 3 2', 'f 1 2 4', 'f 1 4 3',
                   'f 2 3 4', '']))
    made = compiled(tmp_path / 'mine' / 'urdf',
                    six_joints().replace(BOX, MESH.format('package://mine/base.obj'), 1))
    assert made.model.nmesh == 1


def test_a_mesh_of_a_package_is_found_where_ros_has_it(tmp_path: Path,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    share = tmp_path / 'prefix' / 'share' / 'mine'
    share.mkdir(parents=True)
    (share / 'base.obj').write_text('v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\n'
                                    'f 1 4 3\nf 2 3 4\n')
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere{os.pathsep}{tmp_path / "prefix"}')
    made = compiled(tmp_path, six_joints().replace(BOX, MESH.format('package://mine/base.obj'), 1))
    assert made.model.nmesh == 1


@pytest.mark.parametrize('old, new, said', [
    ('<axis xyz="0 0 -1"/>', '', '<joint name="wrist2"> has no <axis>; it is x, as URDF says'),
    ('izz="0.02"', 'izz="0.2"', '<link name="pan_link"> has an <inertia> that no body has')])
def test_what_is_odd_in_a_urdf_is_told(tmp_path: Path, old: str, new: str, said: str) -> None:
    notes = compiled(tmp_path, six_joints().replace(old, new)).text.notes
    assert any(said in note for note in notes)


def test_repairs_are_told(tmp_path: Path) -> None:
    text = linkage().replace('<worldbody>', '<default><default class="x" group="1"/></default>'
                             '<worldbody>', 1)
    made = compiled(tmp_path, text, 'hand.xml')
    assert made.text.notes == ['hand.xml: <default class="x"> has an attribute \'group\', which '
                               'MuJoCo does not know; it is left out']


SLIDES = ('<mujoco>{}<worldbody><body name="palm" euler="{}" childclass="{}"><geom size="0.02"/>'
          '<body name="finger"><joint name="slide" {}/><geom size="0.01"/></body></body>'
          '</worldbody></mujoco>')
CLASSES = ('<default><default class="hand"><joint axis="0 1 0"/><default class="finger"><joint '
           'type="slide" range="0 0.04"/></default></default></default>')


@pytest.mark.parametrize('childclass, joint', [
    ('hand', 'class="finger"'), ('finger', ''), ('hand', 'class="finger" range="0 0.03"')])
def test_what_a_class_lets_slide_says_nothing_of_the_unit_of_angles(
        tmp_path: Path, childclass: str, joint: str) -> None:
    made = compiled(tmp_path, SLIDES.format(CLASSES, '0 0 90', childclass, joint), 'hand.xml')
    assert made.model.body_quat[made.bodies['palm']] == pytest.approx([0.5**0.5, 0, 0, 0.5**0.5])
    assert made.text.notes == []


@pytest.mark.parametrize('turned, joint, said', [
    ('0 0 90', '', '<body euler="0 0 90"> seems to be in degrees, and the ranges of the joints'),
    ('0 0 0', 'ref="-45"', 'ref="-45" seems to be in degrees')])
def test_angles_that_do_not_fit_the_ranges_are_refused(tmp_path: Path, turned: str, joint: str,
                                                       said: str) -> None:
    text = SLIDES.format(CLASSES, turned, 'hand', f'{joint} range="-1.5 1.5"')
    with pytest.raises(ConfigError, match=re.escape(said)) as error:
        compiled(tmp_path, text, 'hand.xml')
    assert 'up to 1.5; write <compiler angle="degree"/> or' in str(error.value)
    for unit in ('degree', 'radian'):  # said: nothing is guessed
        compiled(tmp_path, text.replace('<mujoco>', f'<mujoco><compiler angle="{unit}"/>'),
                 'hand.xml')


def test_the_range_of_a_class_is_a_range(tmp_path: Path) -> None:
    hinges = CLASSES.replace('slide', 'hinge').replace('0 0.04', '0 1.2')
    made = compiled(tmp_path, SLIDES.format(hinges, '0 0 1.5708', 'finger', ''), 'hand.xml')
    assert made.model.jnt_range[0][1] == pytest.approx(1.2)
    assert made.model.body_quat[made.bodies['palm']][3] == pytest.approx(0.5**0.5, abs=1e-4)
    assert any('seem to be in radians' in note for note in made.text.notes)
    with pytest.raises(ConfigError, match='write range="0 1.2": the lower one first'):
        compiled(tmp_path, SLIDES.format(hinges.replace('0 1.2', '1.2 0'), '0 0 0', 'finger', ''),
                 'hand.xml')
