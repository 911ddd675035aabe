"""Tasks that ask for nothing to be done: "stop", "wait", "don't move", "do nothing"."""

from __future__ import annotations

import re

from ..everyday import CONTRACTIONS

_ASK = r'(?:(?:please|pls|ok|okay|hey|no|now|just|robot|you|well|oh|alright)[,!.]* )*'
_END = (r'(?:[,!.]* (?:now|please|there|here|still|it|that|this|again|everything|anything|at all|'
        r'moving|right now|immediately|at once|right there|where you are|what you are doing|for '
        r'(?:me|now|a while)|(?:for )?(?:a|one) (?:minute|moment|second|sec|bit)|doing (?:that|'
        r'this|anything|it)|the (?:arm|robot|task|plan|gripper)|robot|thanks|thank you))*')
_STOP = (r'stop|halt|freeze|wait|pause|stay|stay put|stand still|keep still|be still|hold on|hang '
         r'on|cancel|abort|never ?mind|forget (?:it|that|about it)|do nothing|nothing|rest|sleep|'
         r'no movement')
_NOT = (r'(?:do not|dont|never) (?:you )?(?:ever )?(?:move|do|touch|take|grab|pick up|start|go|'
        r'act|continue)')
_ALL = r'(?: anything| any of (?:it|them|these)| a thing| a muscle| everything)?'
_LEAVE = (r'(?:leave|keep|let) (?:everything|it all|all|all of (?:it|them)|all things) (?:'
          r'(?:just )?(?:as|where|how) (?:it|they) (?:is|are)|alone|there|be)')
_STILL = re.compile(rf'{_ASK}(?:(?:{_STOP})|{_NOT}{_ALL}|{_LEAVE}){_END}[\s.!?]*')


def asks_for_nothing(task: str) -> bool:
    """Whether the whole task says that nothing should move. One with a named thing does not."""
    text = ' '.join(task.lower().replace('\u2019', "'").split())
    for short, long in CONTRACTIONS:
        text = text.replace(short, long)
    return _STILL.fullmatch(text) is not None
