# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a cause that a verdict lists is in its words, and is true."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from .facts import HAND_M, Facts

# Causes and the words that say them; a cause that is not here is never said.
_SAYS = r"""
    object_moved = moved (about )?[\d.]+ [cm]m after it was seen; neighbour_arrived = came close
    target_moved = was moved; taken_away = was taken away; closed_on_air = on nothing
    lost_from_view not_in_scene = not seen|sees no|nothing in the scene matches
    no_container = nothing in the scene matches|no (bowl|bin|container)
    took_another = is in the (hand|gripper)|holds; fell = is not on the table|\bfell
    slipped_in_lift slipped_in_carry = slipped|slides out|slid through
    unexpected_contact held_up = touched|back in the lift|holds the arm
    boxed_in approach_blocked = in the way of|no free way; no_way_out = cannot leave|way out
    beyond_reach just_out_of_reach no_posture = more than the arm reaches|joint angles
    container_full no_free_spot = is full|\bfills?\b|no (free )?(place|room|spot)
    near_edge = at the edge of the table; would_not_stay = would not stay
    target_occupied = is taken by|in the way where|\bcovers\b
    does_not_fit = does not fit; too_wide = too wide; too_heavy = heavier than|do not hold
    hand_empty = in the gripper, which is empty; wrong_object = which the task does not name
    gripper_blocked gripper_broken = the gripper is blocked|the fingers stop at
    off_target turned_wrong = off its goal; not_turned = did not turn
    controller_error = the controller; workspace_violation = outside the workspace|over the edge of
    ambiguous_object = may be parts of one
    goal_unmet = the scene does not show; not_where_put = does not hold
    undone_by_another = another agent did; perception_lost = perception is lost|no look succeeded
    no_fresh_look seen_too_long_ago = no look succeeded|no fresh scene|too old
"""
SAYS = {cause: words for causes, words in (
    each.split(' = ') for line in _SAYS.strip().splitlines() for each in line.split('; '))
    for cause in causes.split()}
SLID_M = 0.005  # in the hand
BASE_M = 0.10  # how far the arm's base goes to the sides
# Beside those of the kind of trouble: true if the log shows it, or if another form checks who.
_SHOWN: Mapping[str, Callable[[str, Facts], bool]] = {
    'fell': lambda text, facts: facts.at(facts.thing)[2] < 0,  # below the top of the table
    'lost_from_view': lambda text, facts: not facts.was_shown(),
    **dict.fromkeys(('goal_unmet', 'not_where_put'), lambda text, facts: True),  # by looks
    'no_posture': lambda text, facts: facts.is_proved(),
    'ambiguous_object': lambda text, facts: True,  # of what it says it may be
    'undone_by_another': lambda text, facts: facts.by_another(facts.thing),
    **dict.fromkeys(('beyond_reach', 'just_out_of_reach'),  # wherever it slid to
                    lambda text, facts: facts.away() > facts.reach()[0] - facts.half()),
    'too_heavy': lambda text, facts: facts.is_stuck(facts.spec(facts.thing)) or (
        'held back' in text and bool(facts.struck())),
    'unexpected_contact': lambda text, facts: bool(facts.struck()) or (
        'back in the lift' in text and facts.is_stuck(facts.spec(facts.thing))),
    'object_moved': lambda text, facts: 'moved' in text,
    'gripper_blocked': lambda text, facts: facts.is_gripper_blocked(),
    'closed_on_air': lambda text, facts: len(facts.fingers_on_it()) < 2,
    'neighbour_arrived': lambda text, facts: 'came close' in text,
    'slipped_in_lift': lambda text, facts: facts.slid_m() > SLID_M,
    'near_edge': lambda text, facts: facts.is_at_edge(),
    'boxed_in': lambda text, facts: 'in the way' in text,
    'approach_blocked': lambda text, facts: 'in the way' in text or 'would touch' in text or (
        bool(facts.fingers_on_it()) if 'the fingers stop on it' in text else  # or beside its base
        facts.away() - facts.half() < BASE_M + HAND_M)}


def objection(cause: str, true: Collection[str], said: Sequence[tuple[str, Facts]]) -> str:
    """What is wrong with a cause that is listed for sentences, each with the truth behind it."""
    found = [each for each in said if re.search(SAYS.get(cause, r'(?!)'), each[0])]
    if not found:
        return f'{cause}: why does not say it'
    shown = cause in _SHOWN and any(_SHOWN[cause](*each) for each in found)
    return '' if cause in true or shown else f'{cause}: it is not true'
