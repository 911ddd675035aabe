# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Carries out ten sentences and draws a picture before and after each.

The picture is runs/ten_sentences.jpg, or the file that you name.
"""

import sys
from pathlib import Path

import cv2
import numpy as np

from replan_agent import Simulation

SENTENCES = (
    ('tabletop', 'chuck the blue cube in the bin, would you'),
    ('tabletop', 'put the red cube in the middle of the table'),
    ('tabletop', 'could you hand me the yellow bar, please?'),
    ('tabletop', 'move the red cube away from the bowl'),
    ('tabletop', 'put the cubes in the bowl but leave the red one where it is'),
    ('tabletop', 'the red cube and the blue cube should trade places'),
    ('tabletop', 'rotate the bar 45 degrees clockwise'),
    ('fruit', 'pop the lemon and the lime in the bowl'),
    ('tabletop', 'put the rde cube in the bowl'),
    ('fruit', 'put the tomato on top of the lemon'),
)
SIZE = (240, 180)
LINE = 22  # pixels
WHITE, BLACK, GREEN, RED = (255, 255, 255), (30, 30, 30), (30, 120, 30), (30, 30, 170)


def written(image: np.ndarray, text: str, row: int, colour: tuple[int, int, int]) -> None:
    cv2.putText(image, text, (4, 15 + LINE * row), cv2.FONT_HERSHEY_SIMPLEX, 0.38, colour, 1,
                cv2.LINE_AA)


def tile(scene: str, sentence: str) -> np.ndarray:
    """The sentence, the table before and after, and how it ended."""
    simulation = Simulation(scene)
    before = simulation.image(*SIZE)
    result = simulation.run(sentence)
    pictures = np.hstack([before, simulation.image(*SIZE)])[:, :, ::-1]
    heading = np.full((LINE, pictures.shape[1], 3), WHITE, np.uint8)
    written(heading, sentence, 0, BLACK)
    detail = result.final_detail.rsplit('; ', 1)[-1].split(': ', 1)[-1].replace('—', '-')
    verdict = detail[:74]
    footer = np.full((LINE, pictures.shape[1], 3), WHITE, np.uint8)
    written(footer, verdict, 0, GREEN if result.success else RED)
    print(f'{sentence}: {result.final_reason}: {result.final_detail}')
    return np.vstack([heading, pictures, footer])


def main() -> None:
    tiles = [tile(*each) for each in SENTENCES]
    rows = [np.hstack(tiles[i:i + 2]) for i in range(0, len(tiles), 2)]
    file = Path(sys.argv[1] if len(sys.argv) > 1 else 'runs/ten_sentences.jpg')
    file.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(file), np.vstack(rows), [cv2.IMWRITE_JPEG_QUALITY, 85])
    print(f'written to {file}')


if __name__ == '__main__':
    main()
