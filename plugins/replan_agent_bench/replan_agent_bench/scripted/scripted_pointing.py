# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the scripted model sees: it only looks for patches of one colour."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

Call = tuple[str, dict[str, Any]]

POINT_AT, NOT_VISIBLE = 'point_at', 'not_visible'
LEAST_SATURATION, LEAST_VALUE = 130, 40  # of 255: the table and the arm are paler
LEAST_PIXELS = 40
# Hues (OpenCV: degrees / 2) of each colour word; red is at both ends.
HUES = {'red': ((0, 6), (174, 180)), 'orange': ((7, 17),), 'yellow': ((18, 35),),
        'green': ((36, 78),), 'blue': ((100, 124),), 'purple': ((125, 156),)}
# How some objects look: their colour, and whether they are round.
LOOKS = {'tomato': ('red', True), 'apple': ('red', True), 'carrot': ('orange', False),
         'lemon': ('yellow', True), 'banana': ('yellow', False), 'lime': ('green', True),
         'cucumber': ('green', False), 'plum': ('purple', True)}
_ASKED = re.compile(r'Where is this object: ([\'"])(?P<what>.+)\1\?')


@dataclass(frozen=True)
class Patch:
    """A patch of one colour: its box in pixels, its size and how round it is (1: a disc)."""

    left: int
    top: int
    right: int
    bottom: int
    pixels: int
    roundness: float


def is_pointing(body: Mapping[str, Any]) -> bool:
    """Whether a request asks where something is."""
    return any(tool['function']['name'] == POINT_AT for tool in body.get('tools', ()))


def point(body: Mapping[str, Any]) -> list[Call]:
    """The box around the described object, or that it is not visible."""
    parts = [part for message in body['messages'] if isinstance(message['content'], list)
             for part in message['content']]
    asked = next(match for part in parts if part['type'] == 'text'
                 for match in [_ASKED.search(part['text'])] if match)
    url = next(part['image_url']['url'] for part in parts if part['type'] == 'image_url')
    words = re.findall(r'[a-z]+', asked['what'].lower())
    colour, is_round = next((LOOKS[word] for word in words if word in LOOKS), ('', False))
    colour = next((word for word in words if word in HUES), colour)
    if not colour:
        return [(NOT_VISIBLE, {'reason': f'the scripted model does not know {asked["what"]}, only '
                               f'colours and: {", ".join(LOOKS)}'})]
    patches = find_patches(_decoded(url), colour)
    if not patches:
        return [(NOT_VISIBLE, {'reason': f'nothing in the picture is {colour}'})]
    best = max(patches, key=lambda p: (p.roundness if is_round else 0.0, p.pixels))
    return [(POINT_AT, {'box': [best.left, best.top, best.right, best.bottom]})]


def find_patches(rgb: np.ndarray, colour: str) -> list[Patch]:
    """The patches of a colour in a picture (h, w, 3)."""
    hue, saturation, value = cv2.split(cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV))
    vivid = (saturation > LEAST_SATURATION) & (value > LEAST_VALUE)
    mask = vivid & np.any([(hue >= low) & (hue <= high) for low, high in HUES[colour]], axis=0)
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL,
                                   cv2.CHAIN_APPROX_NONE)
    patches = [_patch(contour) for contour in contours]
    return [patch for patch in patches if patch.pixels >= LEAST_PIXELS]


def _patch(contour: np.ndarray) -> Patch:
    left, top, width, height = cv2.boundingRect(contour)
    _, radius = cv2.minEnclosingCircle(contour)
    area = cv2.contourArea(contour)
    return Patch(left, top, left + width, top + height, int(area),
                 float(area / (np.pi * max(radius, 1.0) ** 2)))


def _decoded(url: str) -> np.ndarray:
    data = np.frombuffer(base64.b64decode(url.split(',', 1)[1]), np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError('the request contains no picture')
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
