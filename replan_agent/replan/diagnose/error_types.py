# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The error types of software agents, and which reasons of an arm each stands for.

The only such table: reflection takes its `error_type` from here, and docs/recovery.md explains it.
"""

from __future__ import annotations

from collections.abc import Mapping

ERROR_TYPES: Mapping[str, tuple[str, ...]] = {
    'timeout': ('timeout', 'budget_exhausted', 'max_steps'),
    'permission': ('workspace_violation', 'stopped', 'approval_denied', 'human_required',
                   'cancelled'),
    'not_found': ('object_not_found', 'stale_scene', 'perception_lost'),
    'invalid_input': ('ambiguous_object', 'precondition_failed', 'unrecognized_prompt',
                      'conflicting_goals'),
    'network': ('controller_aborted', 'node_lost', 'agent_lost', 'vlm_transport'),
    'syntax': ('no_plan', 'gave_up'),
    'type_error': ('bad_arguments',),
    'attribute_error': ('in_collision', 'path_blocked'),
    'key_error': ('unknown_skill',),
    'value_error': ('unreachable',),
    'index_error': ('target_occupied',),
    # Software agents have no hands: these two are added.
    'physical': ('grasp_missed', 'grasp_slipped', 'verification_failed', 'goal_not_met',
                 'replan_exhausted'),
    'internal': ('internal_error',),
}


def error_type(reason: str) -> str:
    """The error type of a reason; 'unknown' if it is not in the table."""
    return next((name for name, reasons in ERROR_TYPES.items() if reason in reasons), 'unknown')
