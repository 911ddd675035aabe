# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Official meshes as looks, from a checkout that this test makes up."""

from __future__ import annotations

from pathlib import Path

import pytest
from replan_agent_export.menagerie import VARIABLE, menagerie_looks

from replan_agent.app.build.plugins import arm_looks
from replan_agent.arms.franka import PANDA
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World

TETRAHEDRON = 'v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'
PANDA_XML = """<mujoco><compiler meshdir="assets"/><asset>
<material name="white" rgba="1 1 1 1"/><mesh file="shell.obj"/><mesh name="cover" file="b.obj"/>
</asset><worldbody><body name="link0"><geom mesh="shell" material="white" class="visual"/>
<body name="link1"><geom mesh="cover" class="visual" pos="0 0 0.1"/>
<geom mesh="shell" class="collision"/><body name="hand"><geom mesh="shell" class="visual"/>
<body name="left_finger"><geom mesh="cover" class="visual"/></body></body></body></body>
</worldbody></mujoco>"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / 'franka_emika_panda'
    (folder / 'assets').mkdir(parents=True)
    for name in ('shell.obj', 'b.obj'):
        (folder / 'assets' / name).write_text(TETRAHEDRON)
    (folder / 'panda.xml').write_text(PANDA_XML)
    fr3 = tmp_path / 'franka_fr3'
    (fr3 / 'assets').mkdir(parents=True)
    (fr3 / 'assets' / 'shell.obj').write_text(TETRAHEDRON)
    (fr3 / 'fr3.xml').write_text(
        '<mujoco><compiler meshdir="assets"/><asset><mesh file="shell.obj"/></asset><worldbody>'
        '<body name="fr3_link0"><geom mesh="shell" class="visual"/></body></worldbody></mujoco>')
    return tmp_path


@pytest.mark.parametrize(('model', 'meshes'), [('panda', 5), ('fr3', 4)])
def test_the_meshes_of_a_checkout_are_shown(checkout, monkeypatch, model, meshes) -> None:
    monkeypatch.setenv(VARIABLE, str(checkout))
    arm = arm_named(model)
    world = World(SceneSpec('empty'), arm, looks=arm_looks(arm))
    assert sum(world.drawn()[0].geom_dataid >= 0) == meshes


def test_without_a_checkout_the_arm_has_its_own_look(monkeypatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert arm_looks(PANDA) is None


def test_meshes_change_neither_mass_nor_collision(checkout) -> None:
    plain = World(SceneSpec('empty'), PANDA).model
    looks = menagerie_looks(PANDA, {VARIABLE: str(checkout)})
    meshed = World(SceneSpec('empty'), PANDA, looks=looks).drawn()[0]
    assert (meshed.body_mass == plain.body_mass).all()
    assert sum(meshed.geom_contype > 0) == sum(plain.geom_contype > 0)


def test_a_path_that_is_not_a_directory_is_an_error_that_names_it() -> None:
    with pytest.raises(ConfigError, match=f'{VARIABLE}: /nowhere is not a directory'):
        menagerie_looks(PANDA, {VARIABLE: '/nowhere'})


def test_a_directory_that_is_not_a_checkout_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='panda.xml.*mujoco_menagerie checkout'):
        menagerie_looks(PANDA, {VARIABLE: str(tmp_path)})


def test_a_missing_mesh_is_an_error_that_names_it(checkout: Path) -> None:
    (checkout / 'franka_emika_panda' / 'assets' / 'b.obj').unlink()
    with pytest.raises(ConfigError, match="mesh 'cover' on link1.*b.obj is missing"):
        menagerie_looks(PANDA, {VARIABLE: str(checkout)})
