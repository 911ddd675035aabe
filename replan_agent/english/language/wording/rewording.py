"""A task in plain words, before it is read: without asides, with names instead of "it"."""

from __future__ import annotations

import re

from ..words import COLOURS
from .asides import without_asides
from .constructions import in_plain_order
from .explained import explained, with_commas
from .frames import in_plain_frames
from .lists import with_lists
from .outcomes import with_outcomes
from .pair_choices import with_choices
from .spoken_lists import with_spoken_lists
from .topics import with_topics

_HERE = r'(?: (?:over|there|on the table))*(?! of\b| side| hand| to do| for\b)'
# "whatever is left" is the rest, never a direction; "what is left?" is a question.
_LEFT = re.compile(
    r'\b(?:(?:whatever|(?:everything|anything|all|the things|the stuff|those|the ones) '
    r'(?:that|which)) (?:(?:is|are)(?: still)? (?:left|remaining)|remains?)|'
    r'(?:everything|anything)(?: still)? (?:remaining|left(?= (?:over|in|into|on|goes?|should|'
    r'must|belongs?)\b))|the left-?overs?|(?<![.;!?] )(?<!^)what (?:is left|remains))\b' + _HERE +
    r'|\bwhat (?:is left|remains)(?: over)? (?=(?:goes?|should|must|belongs?|needs?|has)\b)')
_SMILE = re.compile(r'[:;=]-?(?:[)(]+|[dpo/|])(?=\s|$)|(?<=\s)(?:xd+|<3)\s*$')
_DASH = re.compile(r'\s+(?:-{1,3}|\u2013|\u2014)\s+|\u2014|\.{2,}|\u2026')
_STRANGE = re.compile(r'[^\w\s.,;:!?\'"()=+&°/`-]')
_SAME = re.compile(r'\b(the|a|my) (\w+) \((?:the |a )?([\w-]+)(?: one)?\)')
_JUST = re.compile(rf', just (?=(?:the|my|these|those|one|two|{"|".join(sorted(COLOURS))})\b)')
_COMMAS = re.compile(r'(?:\s*,)+')
_SPACES = re.compile(r'[ \t]+')


def reworded(text: str) -> str:
    """The text, in small letters and without contractions, in plain words."""
    text = _DASH.sub(', ', explained(_SMILE.sub(', ', text)))
    text = _SPACES.sub(' ', _SAME.sub(r'\1 \3 \2', _STRANGE.sub(' ', text))).strip()
    text = _JUST.sub(', only ', with_commas(with_outcomes(text)))
    text = _LEFT.sub('the rest ', without_asides(with_choices(text)))
    text = with_lists(with_spoken_lists(in_plain_order(text)))
    text = in_plain_frames(with_topics(text))
    return _COMMAS.sub(',', _SPACES.sub(' ', text)).strip(' ,')
