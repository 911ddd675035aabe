# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""report.html: the story of a run in one file that needs no other, with its pictures."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

from replan_agent.record.narrator import BAD
from replan_agent.record.run_folder import REPORT
from replan_agent.text.file_bytes import write_whole
from replan_agent.text.shown_text import printable

from .run_story import Moment, RunStory, story_of

MOST_PICTURES = 40  # the file stays small enough to send to somebody
STYLE = """\
:root { color-scheme: light dark; --line: #8884; --faint: #777; --good: #1a7f37; --bad: #c0362c; }
body { font: 16px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } .faint, time { color: var(--faint); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; border: 1px solid
  var(--line); border-radius: .5rem; padding: 1rem; } dt { color: var(--faint); } dd { margin: 0; }
ol { list-style: none; padding: 0; } p { margin: 0; }
li { display: grid; grid-template-columns: 5rem 1fr; gap: 1rem;
  border-top: 1px solid var(--line); padding: .5rem 0; }
.line { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .92rem; }
.good { color: var(--good); } .bad, .warn { color: var(--bad); } img { max-width: 100%;
  width: 22rem; border-radius: .4rem; margin-top: .4rem; display: block; }
"""


def write_report(folder: Path) -> None:
    """Write report.html into a run folder. Raises NotWritten, or RunUnreadable without a run."""
    write_whole(folder / REPORT, report_page(story_of(folder), _pictures(folder)))


def report_page(story: RunStory, picture: Callable[[str], bytes]) -> str:
    """The page. `picture` gives the content of a picture file, b'' without one."""
    tone = 'good' if story.success else 'bad'
    rows = ''.join(f'<dt>{_text(name)}</dt><dd{_class(tone if name in ("ended", "why") else "")}>'
                   f'{_text(value)}</dd>' for name, value in story.verdict)
    images, left_out = _chosen(story.moments, picture)
    moments = '\n'.join(_moment(story, one, images.get(number, b''))
                        for number, one in enumerate(story.moments))
    more = (f'<p class="faint">{left_out} more pictures are in the folder of the run, in '
            'pictures/.</p>\n' if left_out else '')
    return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<title>{_text(story.task)}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n'
            f'<h1>{_text(story.task)}</h1>\n<p class="faint">'
            f'{_text(story.facts_line)}</p>\n<dl>{rows}</dl>\n<ol>\n{moments}\n</ol>\n{more}</body>\n</html>\n')


def _chosen(moments: Sequence[Moment], picture: Callable[[str], bytes],
            ) -> tuple[Mapping[int, bytes], int]:
    """The pictures to show, by the number of their moment, and how many are left out.

    The start, the end and the failures come first, then looks at equal distances: a look follows
    each step.
    """
    found: dict[bytes, int] = {}
    for number, one in enumerate(moments):
        if one.picture and (content := picture(one.picture)):
            found.setdefault(content, number)
    numbers = list(found.values())
    telling = [*numbers[:1], *numbers[-1:], *(n for n in numbers if moments[n].tone == BAD)]
    kept = list(dict.fromkeys(telling))[:MOST_PICTURES]
    others = [number for number in numbers if number not in kept]
    room = MOST_PICTURES - len(kept)
    if room and others:
        kept += others[::-(-len(others) // room)]
    chosen = {number: content for content, number in found.items() if number in kept}
    return chosen, len(found) - len(chosen)


def _moment(story: RunStory, one: Moment, content: bytes) -> str:
    lines = ''.join(f'<p class="line">{_text(line)}</p>' for line in one.lines)
    image = ''
    if content:
        image = (f'<img alt="what the camera sees: {_text(one.title)}" '
                 f'src="data:image/jpeg;base64,{base64.b64encode(content).decode()}">')
    return (f'<li><time>{_text(story.when(one.at_s))}</time><div><p{_class(one.tone)}>'
            f'<strong>{_text(one.title)}</strong></p>{lines}{image}</div></li>')


def _pictures(folder: Path) -> Callable[[str], bytes]:
    """Reads pictures of the run; one that is missing or elsewhere is left out."""
    def content(name: str) -> bytes:
        file = folder / name
        if not file.resolve().is_relative_to(folder.resolve()) or not file.is_file():
            return b''
        return file.read_bytes()

    return content


def _text(value: str) -> str:
    return escape(printable(value))


def _class(name: str) -> str:
    return f' class="{name}"' if name else ''
