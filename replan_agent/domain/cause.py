# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why an attempt failed, as a slug that code may compare: finer than the reason."""

from __future__ import annotations

from enum import Enum


class Cause(str, Enum):
    """What made a step or a plan fail. `docs/recovery.md` says how each is recognised.

    The robot, the motion planner or a skill names the cause, whichever knows it first. The
    diagnosis makes it finer with the evidence.
    """

    # The grasp
    OBJECT_MOVED = 'object_moved'
    CLOSED_ON_AIR = 'closed_on_air'
    LOST_FROM_VIEW = 'lost_from_view'
    SLIPPED_IN_LIFT = 'slipped_in_lift'
    SLIPPED_IN_CARRY = 'slipped_in_carry'
    TOOK_ANOTHER = 'took_another'
    TAKEN_AWAY = 'taken_away'
    UNEXPECTED_CONTACT = 'unexpected_contact'
    NEIGHBOUR_ARRIVED = 'neighbour_arrived'
    NOT_WHERE_SEEN = 'not_where_seen'  # moved, slipped or taken: which is not known
    NOT_DECIDED = 'not_decided'
    # The way there
    JUST_OUT_OF_REACH = 'just_out_of_reach'
    BEYOND_REACH = 'beyond_reach'
    NO_POSTURE = 'no_posture'
    NEAR_EDGE = 'near_edge'
    BOXED_IN = 'boxed_in'
    APPROACH_BLOCKED = 'approach_blocked'
    NO_WAY_OUT = 'no_way_out'
    # The target
    TARGET_OCCUPIED = 'target_occupied'
    NO_FREE_SPOT = 'no_free_spot'
    CONTAINER_FULL = 'container_full'
    DOES_NOT_FIT = 'does_not_fit'
    WOULD_NOT_STAY = 'would_not_stay'
    TARGET_MOVED = 'target_moved'
    NOT_WHERE_PUT = 'not_where_put'
    PUSH_FELL_SHORT = 'push_fell_short'
    PUSH_WENT_TOO_FAR = 'push_went_too_far'
    FELL = 'fell'
    VERIFICATION_FAILED = 'verification_failed'
    # What the step needs
    TOO_WIDE = 'too_wide'
    TOO_HEAVY = 'too_heavy'
    HAND_FULL = 'hand_full'
    HAND_EMPTY = 'hand_empty'
    ALREADY_SO = 'already_so'
    NOT_IN_SCENE = 'not_in_scene'
    PRECONDITION_FAILED = 'precondition_failed'
    # The arm and its controller
    HELD_UP = 'held_up'
    TRAJECTORY_REFUSED = 'trajectory_refused'
    GRIPPER_BLOCKED = 'gripper_blocked'
    GRIPPER_BROKEN = 'gripper_broken'
    CONTROLLER_ERROR = 'controller_error'
    OFF_TARGET = 'off_target'
    TURNED_WRONG = 'turned_wrong'
    NOT_TURNED = 'not_turned'
    STOPPED = 'stopped'
    # Time and view
    TOOK_TOO_LONG = 'took_too_long'
    PLAN_TOOK_TOO_LONG = 'plan_took_too_long'
    SEEN_TOO_LONG_AGO = 'seen_too_long_ago'
    NO_FRESH_LOOK = 'no_fresh_look'
    # The plan
    AMBIGUOUS_OBJECT = 'ambiguous_object'
    UNCLEAR_WORDS = 'unclear_words'
    PLACE_NOT_SAID = 'place_not_said'
    TWO_PLACES = 'two_places'
    NO_CONTAINER = 'no_container'
    TOO_FEW = 'too_few'
    BAD_ARGUMENTS = 'bad_arguments'
    UNKNOWN_SKILL = 'unknown_skill'
    WORKSPACE_VIOLATION = 'workspace_violation'
    EMPTY_PLAN = 'empty_plan'
    WRONG_OBJECT = 'wrong_object'
    GOAL_UNMET = 'goal_unmet'
    UNDONE_BY_ANOTHER = 'undone_by_another'
