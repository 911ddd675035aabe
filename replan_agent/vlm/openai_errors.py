# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Converts exceptions of the openai package into one typed error."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from replan_agent.domain.chat import ModelError, ModelFailure

from .endpoint import Endpoint

_BY_STATUS = {
    401: ModelFailure.AUTH, 403: ModelFailure.AUTH, 404: ModelFailure.NOT_FOUND,
    408: ModelFailure.TIMEOUT, 429: ModelFailure.RATE_LIMITED,
}


def model_error(error: Exception, openai: Any, endpoint: Endpoint) -> ModelError:
    """The ModelError for any exception of a request, without key and pictures."""
    if isinstance(error, openai.APITimeoutError):  # before its base, APIConnectionError
        return ModelError(ModelFailure.TIMEOUT, f'{endpoint.host} did not answer in time')
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, endpoint)
    cause = error.__cause__ or error
    if isinstance(cause, ModelError):
        return cause
    why = endpoint.shown(f'{type(cause).__name__}: {cause}')
    return ModelError(ModelFailure.CONNECTION, f'no connection to {endpoint.host} ({why})')


def _of_status(error: Any, endpoint: Endpoint) -> ModelError:
    status = int(error.status_code)
    default = ModelFailure.SERVER_ERROR if status >= 500 else ModelFailure.BAD_REQUEST
    said = endpoint.shown(_message(error)) or 'no explanation'
    return ModelError(_BY_STATUS.get(status, default),
                      f'{endpoint.host} answered {status}: {said}',
                      retry_after(error.response.headers), said)


def _message(error: Any) -> str:
    """The endpoint's own message: OpenAI's form, a plain one, or the raw text."""
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get('error', body)
        message = inner.get('message') if isinstance(inner, Mapping) else inner
        if isinstance(message, str):
            return message
    return str(error.response.text)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait; None if missing or not understood."""
    value = headers.get('retry-after', '').strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
