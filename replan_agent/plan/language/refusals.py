"""Why a sentence is refused, with the nearest one that works."""

from __future__ import annotations

import difflib

EXAMPLES = (
    'pick up the red cube', 'put the leftmost cube in the bowl', 'put all cubes in the bowl',
    'put everything except the bar in the bin', 'put the red cube next to the bowl',
    'put the red cube to the left of the bowl', 'move the red cube 10 cm to the left',
    'put the can between the red cube and the blue cube', 'place it at (0.4, -0.2)',
    'put it back', 'put it down', 'stack the red block on the blue block', 'stack all cubes',
    'build a tower of three cubes', 'take the red cube out of the bowl', 'empty the bowl',
    'clear the table', 'tidy up', 'swap the red cube and the blue cube',
    'sort the cubes by size', 'line up the cubes', 'push the red cube to the left',
    'pull the red cube closer', 'turn the bar by 90 degrees', 'hand me the red cube',
    'if there is a bar, put it in the bin', 'put each cube on a different plate',
    'go home', 'open the gripper', 'look around',
)


class NotUnderstood(ValueError):
    """The task is outside the grammar. The message says where, and the nearest that is inside."""

    def __init__(self, what: str, why: str = '') -> None:
        shown = what if len(what) <= 80 else f'{what[:77]}...'
        super().__init__(f'did not understand {shown!r}{": " + why if why else ""}; the nearest '
                         f'sentence that works: "{nearest(what)}"')


class Open(ValueError):
    """The sentence leaves something open. The message is a question."""


def nearest(text: str) -> str:
    """The example that is most like the text."""
    words = text.lower()[:200].split()

    def likeness(example: str) -> float:
        same = difflib.SequenceMatcher(None, words, example.split()).ratio()
        first = bool(words) and words[0] == example.split()[0]
        return same + (0.3 if first else 0.0)

    return max(EXAMPLES, key=likeness)
