"""Puts the record of a run beside its film, as one moving picture (.webp or .gif) for a document.

    replan-agent run "pick up the red cube" --scene greasy_cube --out runs/g --video runs/g.mp4
    .venv/bin/python tools/captioned_film.py runs/g runs/g.mp4 docs/images/slip.webp

The words are those of events.jsonl, each from the moment it was recorded. Needs the extra `bench`
(matplotlib brings Pillow and a font).
"""

from __future__ import annotations

import argparse
import json
import textwrap
from pathlib import Path
from typing import Any

import cv2
import matplotlib
from PIL import Image, ImageDraw, ImageFont

FONT = Path(matplotlib.get_data_path()) / 'fonts' / 'ttf' / 'DejaVuSans.ttf'
SIZE, PANEL, COLUMNS, LINE = (440, 330), 400, 46, 19  # pixels, characters, pixels
DARK, GOOD, BAD, FAINT = '#1b1f24', '#3fb950', '#ff7b72', '#c9d1d9'


def captions(run: Path) -> list[tuple[float, str, str]]:
    """(robot time, words, colour) for what a reader should know, in order."""
    said = []
    for line in (run / 'events.jsonl').read_text('utf-8').splitlines():
        event = json.loads(line)
        if words := _words(event):
            said.append((float(event['robot_s']), *words))
    return said


def _words(event: dict[str, Any]) -> tuple[str, str] | None:
    match event['event']:
        case 'task_started':
            return f'Asked: {event["task"]}', 'white'
        case 'step_started':
            step = event['step']
            arguments = ', '.join(f'{name}={value}' for name, value in step['args'].items())
            return f'{step["skill"]}({arguments})', FAINT
        case 'step_finished':
            result = event['result']
            return ((f'Done: {result["reason_detail"]}', GOOD) if result['success']
                    else (f'Failed: {result["reason_detail"]}', BAD))
        case 'policy_decided':
            return f'Why: {event["why"]}', 'white'
        case 'step_adapted':
            return f'Change: {event["fix"]["message"]}', 'white'
        case 'task_finished':
            return (('The task succeeded', GOOD) if event['success'] else ('The task failed', BAD))
    return None


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
