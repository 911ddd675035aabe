"""Models that cannot be used say so in one sentence; small faults are repaired and told."""

import os
from pathlib import Path

import pytest
from replan_agent_arms.compiled import Compiled
from replan_agent_arms.model_text import LONGEST_MESH, model_text
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
     'make a URDF of it: xacro arm.urdf'),
    ('<robot name="small">', '<sdf>', 'not valid XML'),
    *(('lower="-3.1"', f'lower="{text}"',
       f'<joint name="pan">: <limit lower="{text}"> is not a finite number; write <limit lower=')
      for text in ('nan', '-inf', 'abc', '1 2')),
    ('velocity="2.5"', 'velocity="inf"', '<limit velocity="inf"> is not a finite number'),
    ('<origin xyz="0 -0.10 0.40"', '<origin xyz="0 -0.10 nan"',
     '<joint name="elbow">: <origin xyz="0 -0.10 nan"> has a number that is not finite; write '
     'numbers, for example xyz="0 -0.10 0.1"'),
    ('<box size="0.15 0.15 0.1"/>', '<box size="1e400 0.15 0.1"/>', '<link name="base">: <box'),
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


@pytest.mark.parametrize('old, new, said', [
    ('axis="0 1 0"', 'axis="0 0 0"', '<joint name="a2"> has an axis without a direction'),
    ('range="-2.8 2.8"', 'range="2.8 -2.8"', 'write range="-2.8 2.8": the lower one first'),
    ('<geom type="box" size="0.08 0.08 0.05" pos="0 0 0.05"/>', '<geom type="mesh" mesh="no"/>',
     '<mesh file="no.stl"> does not exist'),
    ('<worldbody>', '<include file="no.xml"/><worldbody>', 'no.xml"> does not exist'),
    ('type="capsule"', 'type="pill"', 'MuJoCo cannot read it'),
    ('pos="0 0 0.2"', 'pos="0 0 nan"', '<body pos="0 0 nan"> has a number that is not finite'),
])
def test_bad_mjcf_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        compiled(tmp_path, seven_joints().replace(old, new, 1).replace(
            '<worldbody>', '<asset><mesh file="no.stl"/></asset><worldbody>'), 'arm.xml')
    assert said in str(error.value) and 'arm.xml' in str(error.value)
    assert '\n' not in str(error.value)


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


def test_repairs_are_told(tmp_path: Path) -> None:
    text = linkage().replace('<worldbody>', '<default><default class="x" group="1"/></default>'
                             '<worldbody>', 1)
    made = compiled(tmp_path, text, 'hand.xml')
    assert made.text.notes == ['hand.xml: <default class="x"> has an attribute \'group\', which '
                               'MuJoCo does not know; it is left out']
