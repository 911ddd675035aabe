# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What takes seconds is computed once for the same files; a damaged cache is made again."""

import inspect
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from replan_agent_arms import arm_file
from replan_agent_arms.arm_by_name import arm_by_name
from replan_agent_arms.arm_file import load_arm
from replan_agent_arms.kept import SOURCES, Kept, cache_folder
from replan_agent_arms.model_parts import ModelText
from small_arms import SIDECAR, six_joints

from replan_agent.arms.arm_model import ArmModel
from replan_agent.robot.mujoco.mjcf.arm_mjcf import arm_xml

Written = Callable[..., Path]


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Each time that the arm's reach is computed; the cache is empty."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    calls: list[str] = []
    real = arm_file.worked_ring

    def counted(*given: object) -> tuple[float, float]:
        calls.append('ring')
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(arm_file, 'worked_ring', counted)
    return calls


def test_the_second_time_gives_the_same_arm_without_computing(written: Written,
                                                              computed: list[str]) -> None:
    path = written(f'{SIDECAR}camera: {{frame: palm, xyz: [0.06, 0, 0.03]}}')
    first, second = load_arm(path).arm, load_arm(path).arm
    assert computed == ['ring'] and first.look_postures
    for name in ('shapes', 'never_touch', 'hand', 'look_postures', 'hand_camera', 'dynamics'):
        assert getattr(first, name) == getattr(second, name)


@pytest.fixture
def sidecar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    (tmp_path / 'small.yaml').write_text(SIDECAR, 'utf-8')
    return tmp_path / 'small.yaml'


def made(sidecar: Path, texts: Sequence[ModelText] = (), value: float = 0.3) -> float:
    """What is kept under `ring`; `value` if it is computed now."""
    kept = Kept(sidecar, texts)
    found = kept.get('ring', lambda: [value])
    kept.write()
    return found[0]


@pytest.mark.parametrize('damage', [
    lambda text: '', lambda text: text[:len(text) // 2], lambda text: '[1, 2]',
    lambda text: text.replace('"ring": [0.3', '"ring": [0.7'),
    lambda text: json.dumps(json.loads(text) | {'values': {'ring': 'far'}}),
    lambda text: '{"made_from": NaN}'], ids=['empty', 'half', 'list', 'changed', 'other', 'nan'])
def test_a_damaged_cache_is_made_again(sidecar: Path, damage: Callable[[str], str]) -> None:
    assert made(sidecar) == made(sidecar, value=0.5) == 0.3
    file, = cache_folder().glob('small-*.json')
    good = file.read_text('utf-8')
    file.write_text(damage(good), 'utf-8')
    assert made(sidecar, value=0.4) == 0.4
    assert made(sidecar, value=0.5) == 0.4


@pytest.mark.parametrize('what', ['sidecar', 'model', 'mesh', 'program'])
def test_other_files_or_another_program_are_computed_again(
        sidecar: Path, what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mesh = tmp_path / 'part.stl'
    mesh.write_text('one')
    texts = [ModelText(tmp_path / 'arm.urdf', '<robot/>', files=[mesh])]
    assert made(sidecar, texts) == made(sidecar, texts, 0.5) == 0.3
    if what == 'sidecar':
        sidecar.write_text(f'{SIDECAR}# more', 'utf-8')
    elif what == 'model':
        texts[0].xml = '<robot name="other"/>'
    elif what == 'mesh':
        mesh.write_text('two')
    else:
        monkeypatch.setattr('replan_agent_arms.kept.SOURCES', (tmp_path,))
    assert made(sidecar, texts, 0.5) == 0.5


def test_the_program_is_also_what_the_core_makes_of_an_arm() -> None:
    used = {Path(inspect.getfile(inspect.unwrap(thing))).parent
            for thing in (load_arm, ArmModel, arm_xml)}
    assert used <= {*SOURCES}


def test_a_cache_that_cannot_be_written_is_no_harm(written: Written, computed: list[str],
                                                   tmp_path: Path) -> None:
    (tmp_path / 'cache').write_text('a file, no folder')
    assert load_arm(written()).arm.hand.reach_m[1] > 0


def test_an_arm_is_read_again_when_its_model_changes(written: Written) -> None:
    path = written()
    first = arm_by_name(str(path))
    assert arm_by_name(str(path)) is first
    written(model=six_joints().replace('0.40', '0.41'))
    assert arm_by_name(str(path)).span_m > first.span_m + 0.005
