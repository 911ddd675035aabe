"""What a planner gets besides `prior_attempts`: the failure analysis, hints and guidance."""

from __future__ import annotations

from typing import Any

from replan_agent.domain.recovery import Reflection
from replan_agent.domain.undone_steps import split_undone

from .episode import Episode
from .failures import surprises

MOST_SIMILAR = 3
WORLD_STARTED_AGAIN = 'the world has started again: none of these steps is done now'


def failure_context(ep: Episode) -> dict[str, Any]:
    """Empty if nothing failed, no run is continued, and there are no hints or guidance."""
    context: dict[str, Any] = {}
    if ep.attempts and ep.reflections:
        reflection = ep.reflections[-1]
        context = {
            'error_analysis': {
                'error_type': reflection.error_type, 'root_cause': reflection.root_cause,
                'contributing_factors': list(reflection.contributing_factors)},
            'fix_suggestion': _suggestion(reflection)}
    if ep.attempts and (ep.reflections or ep.ports.memory is not None):
        last = ep.failure
        context |= {
            'similar_situations': [known.as_dict() for known in ep.remembered[:MOST_SIMILAR]],
            'execution_context': {
                'completed': [done.text for done in split_undone(
                    ep.completed, ep.current_scene, ep.ports.skills.specs())[0]],
                'held': ep.current_scene.held,
                'plan_version': ep.plan_version, 'replans': ep.replans},
            'failed_at_step': last.step_idx,
        }
        if last.diagnosis is not None and last.diagnosis.remedy:
            context['what_would_help'] = last.diagnosis.remedy
    if ep.local and not ep.local[-1].solved and ep.attempts:
        context['local_planning'] = {
            'tried': [f'{node.option.name}: {node.decision.value}, {node.detail}'
                      for node in ep.local[-1].nodes],
            'not_as_imagined': surprises(ep.local), 'ended': ep.local[-1].detail}
    if ep.undone:
        context['earlier_run'] = {'completed': [done.text for done in ep.undone],
                                  'note': WORLD_STARTED_AGAIN}
    if ep.hints:
        context['hints'] = list(ep.hints)
    if ep.open_guidance:
        context['optimization_guidance'] = ep.open_guidance
    return context


def _suggestion(reflection: Reflection) -> dict[str, Any]:
    fix = reflection.fix
    if fix is None:
        return {'status': 'none', 'message': '', 'suggested_changes': []}
    changes = [{'argument': name, 'value': value} for name, value in fix.changes.items()]
    if fix.option:
        changes.append({'option': fix.option})
    return {'status': 'success', 'message': fix.message, 'suggested_changes': changes}
