"""The error types and task statuses of software agents, and what they mean for an arm.

The only such table: reflection takes its `error_type` from here, and docs/recovery.md repeats it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ErrorType:
    """What an error type means for an arm, and the reasons of this type."""

    meaning: str
    reasons: tuple[str, ...]


ERROR_TYPES: Mapping[str, ErrorType] = {
    'timeout': ErrorType('a skill, a plan or the task took too long',
                         ('timeout', 'budget_exhausted', 'max_steps')),
    'permission': ErrorType('the arm is not allowed to: outside the workspace, denied, stopped',
                            ('workspace_violation', 'stopped', 'approval_denied',
                             'human_required', 'cancelled')),
    'not_found': ErrorType('an object that the step names is not seen, or no longer seen',
                           ('object_not_found', 'stale_scene', 'perception_lost')),
    'invalid_input': ErrorType('the step does not fit the scene or the held object',
                               ('ambiguous_object', 'precondition_failed',
                                'unrecognized_prompt', 'conflicting_goals')),
    'network': ErrorType('the controller, a node or the model did not act or answer',
                         ('controller_aborted', 'node_lost', 'agent_lost',
                          'vlm_transport')),
    'syntax': ErrorType('a plan that cannot be read, or none', ('no_plan', 'gave_up')),
    'type_error': ErrorType("an argument that does not match the skill's schema",
                            ('bad_arguments',)),
    'attribute_error': ErrorType('the object has no free side, or no path leads to it',
                                 ('in_collision', 'path_blocked')),
    'key_error': ErrorType('no skill of that name', ('unknown_skill',)),
    'value_error': ErrorType('a target that the arm cannot reach', ('unreachable',)),
    'index_error': ErrorType('no place left at the target', ('target_occupied',)),
    # Software agents have no hands: these two are added.
    'physical': ErrorType('the world did not behave as expected',
                          ('grasp_missed', 'grasp_slipped', 'verification_failed',
                           'goal_not_met', 'replan_exhausted')),
    'internal': ErrorType('a bug', ('internal_error',)),
}


def error_type(reason: str) -> str:
    """The error type of a reason; 'unknown' if it is not in the table."""
    return next((name for name, known in ERROR_TYPES.items() if reason in known.reasons),
                'unknown')
