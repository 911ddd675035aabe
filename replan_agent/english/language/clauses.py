"""Splits the tokens of a task into clauses: one for each command."""

from __future__ import annotations

from dataclasses import dataclass, replace

from replan_agent.domain.refusals import NotUnderstood, Open

from .cursor import said_of
from .place_parser import TABLES
from .tokens import Token
from .words import (
    ALL,
    DESTINATIONS,
    DISCARD_VERBS,
    NOUN_LIKE,
    PICK_VERBS,
    PUT_VERBS,
    RELATIONS,
    STARTS_OBJECT,
    VERBS,
)

FILLERS = frozenset({'and', 'so', 'too', 'first', 'next', 'lastly', 'also', 'well'})
QUESTIONS = frozenset('what which who whose why how where when is are does did am was were '
                      'has have'.split())
TIMES = frozenset('when while before after because twice times whenever every_time hour '
                  'hours minute minutes tomorrow later once again_and_again'.split())
SECOND_THOUGHTS = frozenset('wait actually sorry oops correction scratch mean meant'.split())
NOT_NOUNS = VERBS | frozenset('is are that which if and but or do'.split())
STATED = ('goes', 'go', 'stays', 'needs')  # "the cubes not in the bowl go in the bin"
# Orders that say how all ends; what another order does for the same cannot be told from more.
ENDS_AS_SAID = frozenset('stack pile build make create swap switch exchange empty unstack '
                         'dismantle line spread group gather'.split())
TIDYING = frozenset('tidy clear clean'.split())
MOVING = PUT_VERBS - PICK_VERBS | DISCARD_VERBS | frozenset('hand give pass swap turn'.split())
IFS = ('if', 'unless')
LATER = ('next', 'lastly', 'again')
OTHERS = ('otherwise', 'else')
# What "if ..." says the opposite with, in short.
OPPOSITES = tuple(tuple(words.split()) for words in (
    'if exists not', 'if exists none', 'if it is not', 'if they are not', 'if exists no one',
    'if not so', 'if not', 'if exists not any', 'if exists not one', 'if that is not the case'))
# What says "if it is so" after a question: "is there a hammer? If so, ..."
IF_SO = tuple(tuple(words.split()) for words in (
    'if so', 'if yes', 'if it is', 'if they are', 'if exists', 'if exists one', 'if exists any',
    'if that is the case', 'if that is so', 'if it does', 'then'))


@dataclass(frozen=True)
class Clause:
    """The tokens of one command. `opens`: it begins a sentence, or follows "then".

    `says_first`: it begins with "first", also after its verb. `follows`: it is said that it is
    done after the one before it.
    """

    tokens: list[Token]
    opens: bool
    says_first: bool = False
    follows: bool = False


def split(tokens: list[Token]) -> list[Clause]:
    """The clauses in order. Raises NotUnderstood for a question, a ban, a time."""
    clauses: list[Clause] = []
    for sentence in _with_others(_each_if(_asked_first(_sentences(tokens)))):
        for part in _in_order(_without_contrast(sentence)):
            _check(part)
            for number, command in enumerate(_commands(part)):
                bare = _trimmed(command)
                if bare:
                    first = any(t.text == 'first' for t in command[:2])
                    if clauses and (first and not number or command[0].text == 'first'):
                        raise NotUnderstood(said_of(part), 'say things in the order in which '
                                            'they should be done')
                    later = (any(t.follows or t.text in LATER for t in command[:2])
                             or bool(clauses) and clauses[-1].says_first)
                    clauses.append(Clause(bare, number == 0, first, later))
    return clauses


def _sentences(tokens: list[Token]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    then = False  # a word says that it comes after the one before it
    for token in tokens:
        if token.kind == 'stop':
            if token.text == '?':
                found[-1].append(token)
            then = bool(token.said) or then and not found[-1]
            found.append([])
        else:
            later = len(found) > 1 and not found[-1]  # after a full stop or "then"
            found[-1].append(replace(token, follows=True, then=then) if later else token)
    return [s for s in found if s]


def _asked_first(sentences: list[list[Token]]) -> list[list[Token]]:
    """The sentences with "is there a can? If so, ..." as "if there is a can, ..."."""
    found: list[list[Token]] = []
    for sentence in sentences:
        words = tuple(t.text for t in sentence)
        asked = bool(found) and found[-1][0].text in ('is', 'are') and found[-1][-1].text == '?'
        so = next((len(s) for s in sorted(IF_SO, key=len, reverse=True)
                   if words[:len(s)] == s and _command_starts(sentence, len(s))), 0)
        not_so = next((len(s) for s in OPPOSITES if words[:len(s)] == s), 0)
        if asked and (so or not_so):
            question = found.pop()[:-1]
            found.append([Token('if' if so else 'unless'), *question, Token(',', 'comma'),
                          *sentence[so or not_so:]])
        else:
            found.append(sentence)
    return found


def _each_if(sentences: list[list[Token]]) -> list[list[Token]]:
    """The sentences with "if A, ..., and if B, ..." as two."""
    found: list[list[Token]] = []
    for sentence in sentences:
        start = 0
        for at in range(1, len(sentence) if sentence[0].text in IFS else 0):
            words = tuple(t.text for t in sentence[at:])
            if words[0] in IFS and _separates(sentence[at - 1]) and not any(
                    words[:len(s)] == s for s in OPPOSITES):
                found.append(_trimmed(sentence[start:at]))
                start = at
        found.append(sentence[start:])
    return found


def _with_others(sentences: list[list[Token]]) -> list[list[Token]]:
    """The sentences with each "otherwise ..." as a part of the "if" before it."""
    found: list[list[Token]] = []
    for sentence in sentences:
        sentence = _named(sentence, bool(found) and found[-1][0].text in IFS)
        if found and found[-1][0].text in IFS and sentence[0].text in OTHERS and not any(
                t.text in OTHERS for t in found[-1]):
            found[-1] = [*found[-1], *sentence]
        else:
            found.append(sentence)
    return found


def _named(sentence: list[Token], follows_if: bool) -> list[Token]:
    """The sentence with its "if not, ..." as "otherwise ...", if an "if" stands before it."""
    words = [t.text for t in sentence]
    for at in range(len(words)):
        if not (follows_if if at == 0 else words[0] in IFS):
            continue
        for opposite in OPPOSITES:
            end = at + len(opposite)
            if tuple(words[at:end]) == opposite and _command_starts(sentence, end):
                return [*sentence[:at], Token('otherwise', said=' '.join(opposite)),
                        *sentence[end:]]
    return sentence


def _command_starts(sentence: list[Token], at: int) -> bool:
    if at < len(sentence) and sentence[at].kind == 'comma':
        return True
    following = sentence[at + 1].text if at + 1 < len(sentence) else ''
    return at < len(sentence) and sentence[at].text in VERBS and (
        following in STARTS_OBJECT or following in ('me', 'us', 'up', 'home', 'around', ''))


def _without_contrast(sentence: list[Token]) -> list[Token]:
    """The sentence with ", not the red one" as "except the red one".

    "The cubes not in the bowl" are those that are not in it.
    """
    sentence = _exception_last(_not_but(sentence))
    acts = sentence[0].text in VERBS or any(t.text in STATED for t in sentence)
    found: list[Token] = []
    for before, token, after in zip((Token('.', 'stop'), *sentence), sentence,
                                    (*sentence[1:], Token(''))):
        describes = (acts and token.text == 'not' and after.text in RELATIONS.keys() - DESTINATIONS
                     and before.kind == 'word'
                     and before.text not in NOT_NOUNS and sentence[0].text != 'i_want')
        found += [Token('that'), Token('is'), token] if describes else [token]
    for i in range(1, len(found) - 1):
        if found[i].text == 'not' and found[i - 1].kind == 'comma' and (
                found[i + 1].text in RELATIONS):  # "in the bin, not in the bowl"
            found[i - 1:i + 1] = [Token('instead_of')]
            break
        joins = found[i - 1].kind == 'comma' or found[i - 1].text in ('and', 'but')
        if found[i].text == 'not' and joins and found[i + 1].text in STARTS_OBJECT:
            found[i] = Token('except')
            if found[i - 1].kind == 'word':
                found[i - 1] = Token(',', 'comma')
    return found


def _not_but(sentence: list[Token]) -> list[Token]:
    """ "not in the bowl but in the bin" as "in the bin instead of in the bowl"."""
    words = [t.text for t in sentence]
    for at in range(1, len(words) - 1):
        if words[at] == 'not' and words[at + 1] in RELATIONS and 'but' in words[at:-1]:
            but = words.index('but', at)
            if words[but + 1] in RELATIONS and words[at - 1] not in NOT_NOUNS:
                return [*sentence[:at], *sentence[but + 1:], Token('instead_of'),
                        *sentence[at + 1:but]]
    return sentence


def _exception_last(sentence: list[Token]) -> list[Token]:
    """ "except the can, put everything in the bin" as "put everything in the bin except ..."."""
    cut = next((i for i, t in enumerate(sentence[2:], 2) if t.text in ALL or (
        t.text in VERBS - NOUN_LIKE)), None) if sentence[0].text == 'except' else None
    if cut is None:
        return sentence
    end = cut - 1 if sentence[cut - 1].kind == 'comma' else cut
    rest = sentence[cut:]
    last = rest.pop() if rest[-1].text == '?' else None
    return [*rest, *sentence[:end], *([last] if last else [])]


def _in_order(sentence: list[Token]) -> list[list[Token]]:
    """A sentence as parts in the order of time: "before you do B, do A" is A, then B."""
    words = [t.text for t in sentence]
    at = next((i for i, w in enumerate(words[:-1]) if w in ('before', 'after')
               and words[i + 1] in VERBS), None)
    if at is None or words[0] == 'if':
        return [sentence]
    if at == 0:
        first, *rest = _commands(sentence[1:])
        if not rest:
            return [sentence]
        last = [[replace(t, follows=True) for t in part] for part in (rest or [first])]
        if words[0] == 'after':
            return [first, *last]
        return [*rest, [replace(t, follows=True) for t in first]]
    early, late = sentence[:at], sentence[at + 1:]
    parts = [early, late] if words[at] == 'before' else [late, early]
    return [parts[0], [replace(t, follows=True) for t in parts[1]]]


def _check(sentence: list[Token]) -> None:
    words = [t.text for t in sentence]
    shown = said_of(sentence)
    asks = words[0] in QUESTIONS or words[:2] == ['do', 'you']
    if asks or (words[-1] == '?' and not set(words) & (VERBS | {'goes', 'i_want', 'ensure'})):
        raise NotUnderstood(shown, 'this is a question, and the arm only carries out commands')
    if words[-1] == '?':
        sentence.pop()
    may_follow = ('is', 'are', 'that', 'if', *(('does', 'do') if words[0] in IFS else ()))
    if any(w == 'not' and (i == 0 or words[i - 1] not in may_follow)
           for i, w in enumerate(words)):
        raise NotUnderstood(shown, 'say what to do, not what to avoid')
    if TIMES & set(words):
        raise NotUnderstood(shown, 'commands are carried out once, in the order they are given')
    corrects = 'no' in words[1:] and words[words.index('no') - 1] == ',' or (
        words[0] == 'no' and words[1:2] and words[1] in VERBS)
    if SECOND_THOUGHTS & set(words) or corrects:
        raise NotUnderstood(shown, 'say only what counts in the end')
    if {'(', ')'} & set(words):
        raise NotUnderstood(shown, 'say it without brackets: they may narrow it or add to it')
    _check_but(words, shown)
    _check_colon(words, shown)
    _check_only(sentence, shown)


def _check_only(sentence: list[Token], shown: str) -> None:
    """Raises Open for "put the cubes, only the red one, in the bowl": no list of things.

    So it is with "clear the table: put only the red cube in the bin".
    """
    words = [t.text for t in sentence]
    at = [i for i, word in enumerate(words[:-1]) if word == 'only' and words[0] in VERBS]
    narrows = any(sentence[i - 1].kind == 'comma' and words[i + 1] not in RELATIONS
                  and words[i + 1] not in VERBS or ':' in words[:i] for i in at)
    if narrows:
        raise Open(f'all of them, or only some? "{shown}" may mean both: name what is meant')


def _check_colon(words: list[str], shown: str) -> None:
    """Raises NotUnderstood for "stack the cubes: put A on B": both say what should be.

    Raises Open for "clear the table: throw the can away": all of it, or only the can?
    """
    at = words.index(':') if ':' in words else len(words)
    if words[0] in TIDYING and words[at + 1:at + 2] and words[at + 1] in MOVING and not (
            set(TABLES) & set(words[at:])):
        raise Open(f'all of it, or only what is said after the colon? "{shown}" may mean both')
    if words[0] in ENDS_AS_SAID and at + 1 < len(words) and words[at + 1] in VERBS:
        raise NotUnderstood(shown, 'the parts before and after the colon are two orders: say only '
                            'one of them, or join them with "then"')


def _check_but(words: list[str], shown: str) -> None:
    """Raises Open for "put it in the bowl but leave it there": one of the two cannot be meant."""
    for at in range(1, len(words) - 2):
        if words[at] != 'but' or words[at + 2] not in ('it', 'them'):
            continue
        before = set(words[:at])
        turns = before & {'turn', 'rotate', 'spin'} and not before & PUT_VERBS
        stays = words[at + 1] in ('leave', 'keep') and not turns
        moves = words[at + 1] in PUT_VERBS and before & PUT_VERBS and before & RELATIONS.keys()
        if stays or moves:
            raise Open(f'what counts, the part before "but" or after it? "{shown}" says both')


def _commands(sentence: list[Token]) -> list[list[Token]]:
    """A sentence, cut before each verb that follows "and" or a comma."""
    if sentence[0].text in IFS:
        return [sentence]
    parts: list[list[Token]] = [[]]
    for i, token in enumerate(sentence):
        if _separates(token):
            following = i + 1
            while following < len(sentence) and (sentence[following].text in FILLERS
                                                 or sentence[following].kind == 'comma'):
                following += 1
            if parts[-1] and (_is_verb(sentence, following)
                              or _is_statement(sentence[following:], parts[-1])):
                parts.append([])
                continue
        parts[-1].append(token)
    return parts


def _separates(token: Token) -> bool:
    return token.text in ('and', 'but') or token.kind == 'comma'


def _is_statement(rest: list[Token], before: list[Token]) -> bool:
    """Whether "the red one stays ..." or, after a command, "the rest goes ..." begins there."""
    end = next((i for i, t in enumerate(rest) if _separates(t)), len(rest))
    words = [t.text for t in rest[:end]]
    commanded = (before[0].text in VERBS and before[0].text != 'go'
                 or any(t.text == 'stays' for t in before))
    return 'stays' in words or (commanded and bool({'goes', 'go'} & set(words)))


def _is_verb(tokens: list[Token], at: int) -> bool:
    """Whether a command begins there: a verb, and not as part of a phrase ("stack", "set")."""
    if at >= len(tokens) or tokens[at].text not in VERBS or tokens[at].kind != 'word':
        return False
    following = tokens[at + 1].text if at + 1 < len(tokens) else ''
    if tokens[at].text in NOUN_LIKE and following not in STARTS_OBJECT and not (
            following in VERBS or following in ('up', 'away', 'down')):
        return False
    return not (tokens[at].text == 'go' and following in RELATIONS and following != 'to')


def _trimmed(tokens: list[Token]) -> list[Token]:
    """Without the fillers and commas around it."""
    start, end = 0, len(tokens)
    while start < end and (tokens[start].text in FILLERS or tokens[start].kind == 'comma'):
        start += 1
    if end - start > 1 and tokens[start].text == 'to' and tokens[start + 1].text in VERBS:
        start += 1
    while end > start and (tokens[end - 1].text in ('and', 'so', 'but') or
                           tokens[end - 1].kind == 'comma'):
        end -= 1
    return tokens[start:end]
