"""Seed 001's words for errors and for the state of a task, and what they are for an arm.

The one table of them: reflection takes its `error_type` from here, docs/recovery.md repeats it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ErrorType:
    """What a seed's error type is for an arm, and the reasons that are of this type."""

    meaning: str
    reasons: tuple[str, ...]


ERROR_TYPES: Mapping[str, ErrorType] = {
    'timeout': ErrorType('a skill, a plan or the task took too long',
                         ('timeout', 'budget_exhausted', 'max_steps')),
    'permission': ErrorType('the arm may not: outside the workspace, denied, stopped',
                            ('workspace_violation', 'stopped', 'approval_denied',
                             'human_required', 'cancelled')),
    'not_found': ErrorType('what the step names is not seen, or not any more',
                           ('object_not_found', 'stale_scene', 'perception_lost')),
    'invalid_input': ErrorType('the step does not fit the scene or what is held',
                               ('ambiguous_object', 'precondition_failed',
                                'unrecognized_prompt')),
    'network': ErrorType('who was to act or answer did not: controller, node, model',
                         ('controller_aborted', 'node_lost', 'vlm_transport')),
    'syntax': ErrorType('a plan that cannot be read, or none', ('no_plan', 'gave_up')),
    'type_error': ErrorType('an argument of the wrong kind, against the schema of the skill',
                            ('bad_arguments',)),
    'attribute_error': ErrorType('the object has no free side, or no way leads to it',
                                 ('in_collision', 'path_blocked')),
    'key_error': ErrorType('no skill of that name', ('unknown_skill',)),
    'value_error': ErrorType('a target that the arm cannot reach', ('unreachable',)),
    'index_error': ErrorType('no place left at the target', ('target_occupied',)),
    # The seed's systems have no hands; these words are ours.
    'physical': ErrorType('the world did not do as it was told',
                          ('grasp_missed', 'grasp_slipped', 'verification_failed',
                           'goal_not_met', 'replan_exhausted')),
    'internal': ErrorType('a bug', ('internal_error',)),
}


def error_type(reason: str) -> str:
    """The seed's word for a reason of ours; 'unknown' for one that is not in the table."""
    return next((name for name, known in ERROR_TYPES.items() if reason in known.reasons),
                'unknown')
