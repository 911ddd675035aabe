# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Writes a recorded run as an MCAP file that Foxglove opens."""

from __future__ import annotations

import json
from pathlib import Path

from mcap.writer import Writer

from .foxglove_schemas import schema
from .recorded_run import RecordedRun
from .run_messages import run_messages

PROFILE, LIBRARY = '', 'replan_agent'


def write_mcap(run: RecordedRun, file: Path) -> int:
    """The number of messages written. Raises RunUnreadable."""
    messages = run_messages(run)
    with open(file, 'wb') as stream:
        writer = Writer(stream)
        writer.start(profile=PROFILE, library=LIBRARY)
        channels: dict[str, int] = {}
        schemas: dict[str, int] = {}
        for number, (robot_s, topic, kind, value) in enumerate(messages):
            if kind not in schemas:
                schemas[kind] = writer.register_schema(
                    name=kind, encoding='jsonschema', data=json.dumps(schema(kind)).encode())
            if topic not in channels:
                channels[topic] = writer.register_channel(
                    topic=topic, message_encoding='json', schema_id=schemas[kind])
            time_ns = round(robot_s * 1e9)
            writer.add_message(channels[topic], log_time=time_ns, publish_time=time_ns,
                               sequence=number, data=json.dumps(value).encode())
        writer.add_metadata('replan_agent', {
            'task': run.task, 'succeeded': str(run.succeeded), 'run': run.folder.name})
        writer.finish()
    return len(messages)
