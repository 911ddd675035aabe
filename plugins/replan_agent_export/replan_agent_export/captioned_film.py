# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Puts the record of a run beside its film, as one moving picture (.webp or .gif) for a document.

    replan-agent run "pick up the red cube" --scene greasy_cube --out runs/g --video runs/g.mp4
    .venv/bin/python -m replan_agent_export.captioned_film runs/g runs/g.mp4 docs/images/slip.webp

The words are those of events.jsonl, each from the moment it was recorded. Needs the extra `bench`
(matplotlib brings Pillow and a font).
"""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

import cv2
import matplotlib
from PIL import Image, ImageDraw, ImageFont

from replan_agent.record.narrator import BAD, GOOD, LIVE, Narrator

from .recorded_run import RecordedRun

FONT = Path(matplotlib.get_data_path()) / 'fonts' / 'ttf' / 'DejaVuSans.ttf'
SIZE, PANEL, COLUMNS, LINE = (440, 330), 400, 46, 19  # pixels, characters, pixels
DARK, COLOURS = '#1b1f24', {GOOD: '#3fb950', BAD: '#ff7b72'}
TOLD = ('task_started', 'step_started', 'step_finished', 'policy_decided', 'step_adapted',
        'task_finished')


def captions(run: Path) -> list[tuple[float, str, str]]:
    """(robot time, words, colour) for what a reader should know, in order."""
    narrator = Narrator()
    return [(float(event['robot_s']), said.line, COLOURS.get(said.tone, 'white'))
            for event in RecordedRun.load(run).events for said in narrator.said(event)
            if event['event'] in TOLD and said.only != LIVE]


def frame_with(picture: Image.Image, said: list[tuple[float, str, str]]) -> Image.Image:
    page = Image.new('RGB', (SIZE[0] + PANEL, SIZE[1]), DARK)
    page.paste(picture.resize(SIZE, Image.Resampling.LANCZOS), (0, 0))
    draw, font, y = ImageDraw.Draw(page), ImageFont.truetype(FONT, 14), 12
    for _, words, colour in said:
        for line in textwrap.wrap(words, COLUMNS):
            draw.text((SIZE[0] + 16, y), line, fill=colour, font=font)
            y += LINE
        y += 7
    return page


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument('run', type=Path)
    given.add_argument('film', type=Path)
    given.add_argument('out', type=Path)
    given.add_argument('--every', type=int, default=3, help='use each Nth frame')
    arguments = given.parse_args()
    said, film = captions(arguments.run), cv2.VideoCapture(str(arguments.film))
    fps, pages = film.get(cv2.CAP_PROP_FPS), []
    count = 0
    while (read := film.read())[0]:
        if count % arguments.every == 0:
            now = [one for one in said if one[0] <= count / fps]
            pages.append(frame_with(Image.fromarray(read[1][..., ::-1]), now))
            last = read[1]
        count += 1
    pages += [frame_with(Image.fromarray(last[..., ::-1]), said)]
    step_ms = round(1000 * arguments.every / fps)
    pages[0].save(arguments.out, save_all=True, append_images=pages[1:], loop=0, quality=55,
                  duration=[step_ms] * (len(pages) - 1) + [4000])


if __name__ == '__main__':
    main()
