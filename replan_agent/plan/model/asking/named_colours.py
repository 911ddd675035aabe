# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Colours that a task names, in some languages, and that a plan does not use.

Small models know what "vert" means and still pick the red cube.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from replan_agent.domain.kinds import name_words
from replan_agent.domain.plan import PlanProblem, PlanRequest, Step
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason, find_spec

_WORDS = {
    'red': 'red scarlet crimson ruby rot rote roten roter rotes rouge rouges rojo roja rojos '
           'rojas rosso rossa rossi rosse vermelho vermelha rood rode',
    'blue': 'blue azure blau blaue blauen blauer blaues bleu bleue bleus bleues azul azules blu '
            'azzurro azzurra blauw blauwe',
    'green': 'green emerald grün grüne grünen grüner grünes vert verte verts vertes verde verdes '
             'verdi groen groene',
    'yellow': 'yellow golden gelb gelbe gelben gelber gelbes jaune jaunes amarillo amarilla '
              'amarelo amarela giallo gialla geel gele',
    'white': 'white snowy weiß weiße weißen weißer weißes blanc blanche blancs blanches blanco '
             'blanca bianco bianca branco branca wit witte',
    'black': 'black schwarz schwarze schwarzen schwarzer schwarzes noir noire noirs noires negro '
             'negra nero nera preto preta zwart zwarte',
    'purple': 'purple violet lila violett violette violetten morado morada viola roxo roxa paars '
              'paarse',
    'orange': 'orange tangerine orangene orangen oranje naranja arancione laranja',
    'brown': 'brown braun braune braunen brauner braunes brun brune marrón marrone marrom bruin '
             'bruine',
}
COLOUR_OF = {word: colour for colour, words in _WORDS.items() for word in words.split()}
# With one of these, the colour may be that of what stays.
LEAVES_OUT = frozenset(
    'not no none never but except without leave instead nicht kein keine keinen außer ohne lass '
    'lasst pas sauf sans laisse laissez excepto salvo sin menos deja tranne senza eccetto lascia '
    'niet geen behalve zonder exceto sem não'.split())


def missed_colours(steps: Sequence[Step], request: PlanRequest) -> list[PlanProblem]:
    """The colours that the task names, where no step uses an object of this colour."""
    said = re.findall(r'\w+', request.task.lower())
    if not steps or steps[-1].is_replan or LEAVES_OUT & set(said):
        return []
    named = {COLOUR_OF[word]: word for word in said if word in COLOUR_OF}
    have = {colour for thing in request.scene.objects for colour in _colours(thing)}
    used = {colour for step in steps for name in _names(step, request)
            if (thing := request.scene.get(name)) is not None for colour in _colours(thing)}
    return [PlanProblem(Reason.BAD_ARGUMENTS, f'the task says {word!r}, but no step uses a thing '
                        f'that is {colour}; look for the {colour} one')
            for colour, word in named.items() if colour in have - used]


def _names(step: Step, request: PlanRequest) -> list[str]:
    spec = find_spec(request.skills, step.skill)
    return [] if spec is None else [
        name for argument in spec.object_arguments
        if isinstance(name := step.args.get(argument), str)]


def _colours(thing: SceneObject) -> set[str]:
    return {thing.colour, *(word for word in name_words(thing.name) if word in _WORDS)} - {''}
