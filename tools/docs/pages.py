"""Pages of the documentation that are made from the code: mkdocs.yml names this file as a hook.

Nothing here is written by hand, so that it cannot be out of date. `PAGES` lists what is made.
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from replan_agent.app.build.plugins import COMMANDS, loaded
from replan_agent.app.cli.main import parser
from replan_agent.domain import event as events
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import Config
from replan_agent.domain.failure import DEFAULT_DIAGNOSIS
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason, SkillResult, SkillSpec, failed, succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.execute.arm import Arm
from replan_agent.execute.contract import Call, Skill, Toolkit
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.plan.model.prompts import needs_and_effect
from replan_agent.robot.mujoco.scene import scene_file, scene_spec
from replan_agent.robot.robot_protocols import Robot

ROOT = Path(__file__).resolve().parents[2]
INTERFACES = ROOT / 'interfaces' / 'replan_agent_interfaces'
FROM_THE_ROOT = {'README.md': 'index.md', 'CONTRIBUTING.md': 'CONTRIBUTING.md',
                 'CHANGELOG.md': 'CHANGELOG.md'}

WAYS_ON = (('Try it', '#start', ' .md-button--primary'),
           ('First tutorial', 'tutorials/own_scene.md', ''),
           ('What you can say', 'language.md', ''), ('Something failed', 'troubleshooting.md', ''))


def settings_page() -> str:
    return ('# Settings\n\nKeys of a YAML file (`--config FILE`), and ROS parameters of the same '
            'name. A file may leave out any of them. A wrong key or value is one sentence that '
            f'names the right ones.\n\n## The top level\n{_settings(Config)}'
            + ''.join(f'\n## {name}\n{_settings(section)}' for name, section in _sections(Config)))


def _sections(config: type) -> Iterator[tuple[str, type]]:
    for one in fields(config):
        if one.default_factory is not MISSING and is_dataclass(one.default_factory):
            yield one.name, one.default_factory


def _settings(section: type) -> str:
    rows = [(f'`{one.name}`', one.metadata['help'], _default(one), _allowed(one.metadata))
            for one in fields(section) if 'help' in one.metadata]
    return _table(('key', 'what it is', 'default', 'allowed'), rows)


def _default(one: Any) -> str:
    if one.default is MISSING:
        return 'required'
    plain = one.default.name if hasattr(one.default, 'name') else one.default
    return 'none' if plain in ('', None, ()) else f'`{_short(plain)}`'


def _short(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _allowed(metadata: Mapping[str, Any]) -> str:
    if metadata['choices']:
        names = ', '.join(f'`{name}`' for name in metadata['choices'])
        return f'{names}, or a plug-in' if metadata['plug_ins'] else names
    low, high = metadata['low'], metadata['high']
    if low is None and high is None:
        return ''
    return f'{"" if low is None else f"{low:g}"} to {"" if high is None else f"{high:g}"}'


def skills_page() -> str:
    parts = ['# Skills\n\nWhat a plan may use. `replan-agent skills` prints the same, with the '
             'skills of installed packages. [A skill of your own](../tutorials/own_skill.md)']
    for spec in standard_skills().specs():
        required = spec.arguments.get('required', ())
        rows = [(f'`{name}`', one.get('description', ''), 'yes' if name in required else '',
                 _schema(one)) for name, one in spec.arguments.get('properties', {}).items()]
        parts.append(f'## {spec.name}\n\n{spec.description}\n\n`{spec.example or spec.name}`: '
                     f'{needs_and_effect(spec)}\n'
                     + (_table(('argument', 'what it is', 'required', 'allowed'), rows)
                        if rows else ''))
    return '\n\n'.join(parts) + '\n'


# What the code of a skill uses; the names that a package imports from replan_agent come first.
SKILL_API = (Skill, Call, Arm, MotionRequest, Pose, Scene, SceneObject, SkillSpec, SkillResult,
             Toolkit, Robot)


def skill_api_page() -> str:
    functions = [(f'`{one.__name__}{_signature(one)}`', _first_line(one))
                 for one in (succeeded, failed)]
    parts = ['# What a skill may use\n\nFor [a skill of your own](../tutorials/own_skill.md). '
             '`from replan_agent import ...` has all of these except `Toolkit` (it is `call.kit`) '
             'and `Robot` (it is `call.kit.robot`). Lengths are in m, angles in rad, and poses in '
             'the base frame of the arm: x forward, y left, z up. A hand that points straight '
             'down has the roll pi: `Pose.from_rpy(x, y, z, roll=math.pi, yaw=yaw)`.',
             f'## Results\n{_table(("function", "what it is"), functions)}']
    parts += [f'## {one.__name__}\n\n{inspect.getdoc(one)}\n{_table(("name", "what it is"), rows)}'
              for one in SKILL_API for rows in [list(_members(one))]]
    return '\n\n'.join(parts) + '\n'


def _members(kind: type) -> Iterator[tuple[str, str]]:
    """The fields, properties and methods of a class that others may use."""
    if is_dataclass(kind):
        for one in fields(kind):
            given = '' if one.default is MISSING and one.default_factory is MISSING else 'optional'
            yield f'`{one.name}: {one.type}`', given
    for base in reversed(kind.__mro__[:-1]):
        for name, one in vars(base).items():
            if name.startswith('_') or name == 'as_dict':
                continue
            made = one.__func__ if isinstance(one, staticmethod) else one
            if inspect.isfunction(made):
                yield f'`{name}{_signature(made)}`', _first_line(made)
            elif isinstance(made, (property, cached_property)):
                yield f'`{name}`', _first_line(made)


def _signature(function: Any) -> str:
    found = inspect.signature(function)
    text = str(found.replace(parameters=[
        one for one in found.parameters.values() if one.name != 'self']))
    text = re.sub(r"(: |-> )'([^']+)'", r'\1\2', text)
    return re.sub(r'<(\w+\.\w+): [^>]*>', r'\1', text)  # a member of an enum


def _first_line(one: Any) -> str:
    return (inspect.getdoc(one) or '').split('\n\n')[0]


def _schema(one: Mapping[str, Any]) -> str:
    if 'enum' in one:
        return ', '.join(f'`{value}`' for value in one['enum'])
    limits = [f'{one[key]:g}' for key in ('minimum', 'maximum') if key in one]
    return f'{one.get("type", "")} {" to ".join(limits)}'.strip()


def reasons_page() -> str:
    how = '[Troubleshooting](../troubleshooting.md) says what to do about each.'
    ends = [(f'[`{one}`](../troubleshooting.md#{one})',) for one in FinalReason]
    steps = [(f'[`{reason}`](../troubleshooting.md#step-{reason})', found.kind.value,
              found.severity.value, found.category.value, f'`{found.cause.value}`')
             for reason in Reason for found in [DEFAULT_DIAGNOSIS[reason]] if found.cause]
    causes = ', '.join(f'`{one.value}`' for one in Cause)
    return (f'# Reasons\n\n{how}\n\n## How a task ended: `final_reason`\n{_table(("slug",), ends)}'
            '\n## Why a step failed: `reason`\n\nThe columns are the default of each reason; '
            'what was measured overrides it. `transient`: the same may work again. `structural`: '
            'not in this scene. `underspecified`: the planner needs to know more.\n'
            + _table(('slug', 'kind', 'severity', 'category', 'cause'), steps)
            + f'\n## Finer: `cause`\n\n{causes}.\n\n[Recovery](../recovery.md) says how each is '
              'recognised.\n')


def events_page() -> str:
    kinds = [one for one in vars(events).values() if inspect.isclass(one)
             and issubclass(one, events.Event) and one is not events.Event]
    rows = [(f'`{_snake(kind.__name__)}`', _first_paragraph(kind),
             ', '.join(f'`{one.name}`' for one in fields(kind))) for kind in kinds]
    return ('# Events\n\nEach line of `events.jsonl` in a run folder is one event: `event` is its '
            'name, `wall_s` the seconds since the start, `robot_s` those of the robot. The ROS '
            'topic `events` carries the same.\n' + _table(('event', 'what it is', 'fields'), rows))


def _snake(name: str) -> str:
    return re.sub(r'(?<!^)(?=[A-Z])', '_', name).lower()


def _first_paragraph(kind: type) -> str:
    text = inspect.getdoc(kind) or ''
    return '' if text.startswith(f'{kind.__name__}(') else text.split('\n\n')[0]


def messages_page() -> str:
    parts = ['# Messages, services and actions\n\nThe package `replan_agent_interfaces`, as it is '
             'in `interfaces/`. `---` separates request from answer, and goal, result and '
             'feedback.']
    for folder in ('action', 'srv', 'msg'):
        for file in sorted((INTERFACES / folder).iterdir()):
            parts.append(f'## {folder}/{file.stem}\n\n```text\n{file.read_text("utf-8")}```')
    return '\n\n'.join(parts) + '\n'


def cli_page() -> str:
    top = parser(add for _, add in loaded(COMMANDS))
    found = [(top.prog, top), *_commands(top)]
    return '# Command line\n\n' + '\n'.join(
        f'## {name}\n\n```text\n{one.format_help().rstrip()}\n```\n' for name, one in found)


def _commands(top: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in top._actions:  # argparse has no other way to list its commands
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield one.prog, one
                yield from _commands(one)


def scene_keys_page() -> str:
    return ('# Keys of a scene file\n\n[The scene file](scene_file.md) explains them, with an '
            f'example of each object.\n\n## The file\n{_settings(scene_file._SceneFields)}'
            f'\n## An object\n{_settings(scene_file._ObjectFields)}'
            f'\n## randomize\n{_settings(scene_spec.Randomize)}'
            f'\n## table\n{_settings(scene_spec.TableSpec)}'
            f'\n## camera\n{_settings(scene_spec.CameraSpec)}')


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ('---',) * len(head), *rows]
    return '\n' + ''.join(f'| {" | ".join(map(_cell, line))} |\n' for line in lines)


def _cell(text: str) -> str:
    return ' '.join(text.replace('|', '\\|').split())


PAGES: Mapping[str, Callable[[], str]] = {
    'reference/settings.md': settings_page,
    'reference/skills.md': skills_page,
    'reference/skill_api.md': skill_api_page,
    'reference/reasons.md': reasons_page,
    'reference/events.md': events_page,
    'reference/messages.md': messages_page,
    'reference/cli.md': cli_page,
    'reference/scene_keys.md': scene_keys_page,
}


def on_files(files: Any, config: Any) -> Any:
    """MkDocs asks for the files: those made here, and those of the repository's root, are more."""
    from mkdocs.structure.files import File

    for name, page in PAGES.items():
        files.append(File.generated(config, name, content=page()))
    for name, target in FROM_THE_ROOT.items():
        text = (ROOT / name).read_text('utf-8').replace('](docs/', '](')
        text = _start_page(text) if target == 'index.md' else text
        if target == 'CHANGELOG.md':  # it has every word, and answers no question
            text = f'---\nsearch: {{exclude: true}}\n---\n{text}'
        files.append(File.generated(config, target, content=_in_the_site(text, '')))
    return files


def _start_page(readme: str) -> str:
    """The README over the whole width, with the ways on below its first paragraph."""
    title, first, rest = readme.split('\n\n', 2)
    ways = ' '.join(f'[{name}]({target}){{ .md-button{look} }}' for name, target, look in WAYS_ON)
    return f'---\nhide: [navigation, toc]\n---\n{title}\n\n{first}\n\n{ways}\n\n{rest}'


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links that leave docs/ lead to a page of the site, or are text where there is none."""
    return _in_the_site(markdown, '../' * (page.file.src_uri.count('/') + 1))


def on_page_content(html: str, **_: Any) -> str:
    """A long path or name in a sentence or a table may be broken where it has parts."""
    return re.sub(r'(?<=<code>)[^<\s]{30,}(?=</code>)',
                  lambda found: re.sub(r'(?<=[/:_])', '<wbr>', found[0]), html)


def _in_the_site(text: str, up: str) -> str:
    for name, target in FROM_THE_ROOT.items():
        text = text.replace(f']({up}{name}', f']({up[3:]}{target}')
    outside = '|'.join(['examples', 'config', 'LICENSE', 'plugins', 'tools'])
    return re.sub(rf'\[([^\]]+)\]\({re.escape(up)}(?:{outside})[^)]*\)', r'\1', text)
