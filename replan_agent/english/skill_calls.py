"""Commands with the verb of an installed skill: "tap the can" is the call tap(object=can)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.reading import Reading
from replan_agent.domain.refusals import Open
from replan_agent.domain.skill import SkillSpec, find_spec

from .meaning.referents import meant, one
from .meaning.said_before import Discourse, cannot
from .phrases import Command, Verb


def read_calls(commands: Sequence[Command], request: PlanRequest, viewpoint: str
               ) -> Reading | None:
    """The calls of the commands; None if none has the verb of a skill. Raises Open or Unclear."""
    if not any(c.verb is Verb.SKILL for c in commands):
        return None
    odd = [c for c in commands if c.verb is not Verb.SKILL or c.condition is not None]
    if odd:
        raise Open(f'"{odd[0].text}" cannot be said together with a skill of its own: say them '
                   'one after the other')
    context = Discourse(request.scene, viewpoint)
    calls = [f'{skill.name}({", ".join(f"{k}={v!r}" for k, v in args.items())})'
             for command in commands
             if (skill := find_spec(request.skills, command.key.replace(' ', '_'))) is not None
             for args in _arguments(command, skill, context)]
    return Reading(calls='; '.join(calls))


def _arguments(command: Command, skill: SkillSpec, context: Discourse
               ) -> Iterator[dict[str, str]]:
    """The arguments of each call: of "tap all cubes", one for each cube."""
    roles, things = skill.object_arguments, command.things
    if len(roles) == 1:
        found = [{roles[0]: name} for phrase in things for name in meant(phrase, context)]
    elif len(things) > len(roles):
        raise cannot(f'{skill.name} takes {", ".join(roles) or "nothing"}: "{command.text}" '
                     'names more')
    else:
        found = [{role: one(phrase, context) for role, phrase in zip(roles, things)}]
    for args in found or [{}]:
        lacking = [a for a in skill.arguments.get('required', ()) if a not in args]
        if lacking:
            raise cannot(f'{skill.name} also needs {", ".join(lacking)}: write it as a call, '
                         f'for example {skill.example}')
        context.mentioned.append(tuple(args.values()))
        yield args
