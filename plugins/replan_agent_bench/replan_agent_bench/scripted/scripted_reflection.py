# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scripted model as reflector: it repeats the analysis by rules, and says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .scripted_tools import Call

TOOL = 'explain_failure'


def is_reflecting(request: Mapping[str, Any]) -> bool:
    """Whether the request asks to explain a failure."""
    return any(tool['function']['name'] == TOOL for tool in request.get('tools', ()))


def explain(request: Mapping[str, Any]) -> list[Call]:
    """The analysis by rules from the request, as an answer."""
    texts = [part['text'] for message in request['messages']
             if isinstance(message['content'], list) for part in message['content']]
    failure = next(json.loads(text)['failure'] for text in texts if text.startswith('{"failure"'))
    known = failure['analysis_by_rules']
    fix = known['fix'] or {'message': 'plan around it', 'changes': {}}
    return [(TOOL, {'root_cause': f'(scripted) {known["root_cause"]}',
                    'contributing_factors': known['contributing_factors'],
                    'suggestion': fix['message'], 'changes': fix['changes'],
                    'preventable': known['preventable']})]
