# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A calibration board in the hand or on the table: a white plate with black cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.robot.mujoco.mjcf.arm_looks import Looks
from replan_agent.robot.mujoco.mjcf.mjcf_xml import VISUAL_GROUP, Value, node

INK_M = 0.0002
WHITE, BLACK = 'board_white', 'board_black'


@dataclass(frozen=True, eq=False)
class Plate:
    """A plate in the frame of a part of the arm. `T_part_pattern` is the corner of its pattern:
    x right, y down, z into the plate. `cells` are black where True, each `cell_m` wide."""

    cells: NDArray[np.bool_]
    cell_m: float
    T_part_pattern: Pose
    T_part_plate: Pose  # of its centre, thin along z
    size_m: tuple[float, float, float]


@dataclass(frozen=True)
class LooksWithPlate:
    """An arm with a plate fixed to a part of it. The plate has no mass or contacts.

    What is fixed to `link0` stands still in the base frame.
    """

    arm: Looks
    plate: Plate
    part: str = 'hand'

    def add_assets(self, root: ET.Element) -> None:
        self.arm.add_assets(root)
        asset = node(root, 'asset')
        for name, grey in ((WHITE, 0.95), (BLACK, 0.05)):
            node(asset, 'material', name=name, rgba=(grey, grey, grey, 1), specular=0,
                 shininess=0)

    def add_part(self, body: ET.Element, part: str) -> None:
        self.arm.add_part(body, part)
        if part != self.part:
            return
        plate = self.plate
        _box(body, WHITE, plate.T_part_plate.matrix(), plate.size_m)
        T = plate.T_part_pattern.matrix()
        for row, start, stop in _runs(plate.cells):
            centre = np.eye(4)
            centre[:2, 3] = (start + stop) / 2 * plate.cell_m, (row + 0.5) * plate.cell_m
            _box(body, BLACK, T @ centre,
                 ((stop - start) * plate.cell_m, plate.cell_m, 2 * INK_M))


def _box(body: ET.Element, material: str, T: FloatArray,
         size: tuple[float, float, float]) -> None:
    pose = Pose.from_matrix(T)
    half: Value = [s / 2 for s in size]
    node(body, 'geom', type='box', material=material, group=VISUAL_GROUP, contype=0,
         conaffinity=0, mass=0, pos=pose.position, quat=pose.quaternion, size=half)


def _runs(cells: NDArray[np.bool_]) -> Iterator[tuple[int, int, int]]:
    """Row, first and last-but-one column of every run of black cells."""
    for row, line in enumerate(cells):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(int), [0]])))
        for start, stop in zip(edges[::2], edges[1::2]):
            yield row, int(start), int(stop)
