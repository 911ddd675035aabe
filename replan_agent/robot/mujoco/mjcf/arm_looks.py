# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The look of the arm: the solids of its model."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol
from xml.etree import ElementTree as ET

from replan_agent.arms.arm_model import ArmLooks

from .mjcf_xml import VISUAL_GROUP, node


class Looks(Hashable, Protocol):
    """Adds geoms that are only visible: they touch nothing and weigh nothing."""

    def add_assets(self, root: ET.Element) -> None:
        """Materials and meshes that the parts need."""

    def add_part(self, body: ET.Element, part: str) -> None:
        """The geoms of `part`: link0, link1, ..., hand or finger."""


@dataclass(frozen=True)
class SolidLooks:
    """The look that needs no files."""

    looks: ArmLooks

    def add_assets(self, root: ET.Element) -> None:
        asset = node(root, 'asset')
        for name, rgb in self.looks.materials.items():
            node(asset, 'material', name=name, rgba=(*rgb, 1), specular=0.35, shininess=0.4)

    def add_part(self, body: ET.Element, part: str) -> None:
        for solid in self.looks.parts.get(part, ()):
            node(body, 'geom', material=solid.material, group=VISUAL_GROUP, contype=0,
                 conaffinity=0, mass=0, **solid.shape)


NO_LOOKS = SolidLooks(ArmLooks({}, {}))  # for what is never drawn
