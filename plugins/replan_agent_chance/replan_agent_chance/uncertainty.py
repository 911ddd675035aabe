# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What perception is unsure of: how far off it is, and what it cannot see."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from replan_agent.domain.config import ConfigError, build, setting
from replan_agent.text.yaml_text import read_yaml

AUTO = 'auto'  # what was measured for the perception
MEASURED = Path(__file__).parent / 'measured'
NEVER_SEEN = 'properties'  # the file with what no camera sees
OF_A_BAD_ONE = 'bad_camera'  # noisy, and wrongly calibrated
OF_THE_USUAL = ('camera', NEVER_SEEN)  # of the camera that a scene has if its file names none
NAMES = ('camera', OF_A_BAD_ONE, NEVER_SEEN)  # what was measured
UNSEEN = ('grip', 'fingers_m', 'friction', 'density')  # the keys of what no camera sees


def own_file(name: str) -> Path | None:
    """The file that `agent.chance` names; None if it names none."""
    path = Path(name).expanduser()
    return path if name not in ('', AUTO) and path.is_file() else None


def positive(value: Any, where: str) -> tuple[float, ...]:
    numbers = value if isinstance(value, (list, tuple)) else ()
    if not numbers or not all(type(n) in (int, float) and 0 < n < 1e5 for n in numbers):
        raise ConfigError(f'{where}: must be a list of numbers above 0')
    return tuple(map(float, numbers))


@dataclass(frozen=True)
class Uncertainty:
    """Standard deviations of a perception's errors, and of what it cannot see, samples.

    `common_m` moves all things alike, for as long as the camera is calibrated as it is. `own_m`
    moves one thing, and `look_m` is new with each look; all three in x and in y. A thing that
    nobody has weighed is as dense, and as slippery, as one of the samples. The hand presses with
    another force than its motor says by the share `grip`, and the middle between its fingers is
    beside where the arm thinks by `fingers_m`.
    """

    common_m: float = setting(0.0, 'm, of all things alike', 0, 0.2)
    own_m: float = setting(0.0, 'm, of each thing', 0, 0.2)
    look_m: float = setting(0.0, 'm, new with each look', 0, 0.2)
    yaw_rad: float = setting(0.0, 'rad, of things that are not round', 0, 3.2)
    size_m: float = setting(0.0, 'm, of each length', 0, 0.1)
    grip: float = setting(0.0, 'of the force of the hand, as a share', 0, 1)
    fingers_m: float = setting(0.0, 'm, of the middle between its fingers, across them', 0, 0.02)
    friction: tuple[float, ...] = setting((0.7,), 'sliding coefficients', read=positive)
    density: tuple[float, ...] = setting((500.0,), 'kg/m³', read=positive)
    source: str = setting('', 'how it was measured')

    def scaled(self, factor: float) -> Uncertainty:
        """The same with errors of so many times the size."""
        sizes = {name: factor * getattr(self, name) for name in (
            'common_m', 'own_m', 'look_m', 'yaw_rad', 'size_m', 'grip', 'fingers_m')}
        return Uncertainty(**{**asdict(self), **sizes})

    @staticmethod
    def read(path: Path) -> Uncertainty:
        """The one in the file. Raises ConfigError.

        What it does not say of things and of the hand is as it was measured.
        """
        given = read_yaml(path)
        if isinstance(given, dict):
            measured = read_yaml(MEASURED / f'{NEVER_SEEN}.yaml')
            given = {**{name: measured[name] for name in UNSEEN}, 'source': str(path), **given}
        return build(Uncertainty, given, str(path))

    @staticmethod
    def of(name: str) -> Uncertainty | None:
        """The one that was measured for a perception of that name; None: it was not measured."""
        path = MEASURED / f'{name}.yaml'
        return Uncertainty.read(path) if path.is_file() else None
