"""How people say things: spellings, contractions and phrases, and the words they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

SPELLINGS: Mapping[str, str] = {
    'gray': 'grey', 'color': 'colour', 'colors': 'colour', 'colours': 'colour',
    'left-most': 'leftmost', 'right-most': 'rightmost', 'toward': 'towards',
    'forwards': 'forward', 'backward': 'backwards', 'centre': 'middle', 'center': 'middle',
    'neighbouring': 'near', 'organize': 'organise', 'atop': 'on', 'upon': 'on',
    'grey-coloured': 'grey', 'anticlockwise': 'counterclockwise',
    'counter-clockwise': 'counterclockwise', 'anti-clockwise': 'counterclockwise',
    'further': 'further', 'farther': 'further', 'tabletop': 'table', 'nearer': 'closer',
    'twist': 'turn', 'swivel': 'turn', 'pls': 'please', 'plz': 'please',
    'u': 'you', 'ur': 'your', 'n': 'and', 'ya': 'you', 'em': 'them', 'contain': 'contains',
    'somewhere': 'elsewhere', 'disassemble': 'dismantle', 'vertical': 'upright',
    'vertically': 'upright', 'dishes': 'crockery', 'da': 'the', 'dat': 'that',
    'cw': 'clockwise', 'ccw': 'counterclockwise',
    'leftward': 'left', 'leftwards': 'left', 'rightward': 'right', 'rightwards': 'right',
    'form': 'make', 'construct': 'build', 'assemble': 'build', 'erect': 'build',
}
CONTRACTIONS = (("can't", 'can not'), ("n't", ' not'), ("'s", ' is'), ("'re", ' are'),
                ("'d", ' would'), ("i'm", 'i am'), ("'ll", ' will'), ("'ve", ' have'),
                ('gotta ', 'got to '), ('wanna ', 'want to '), ('outta ', 'out of '),
                ('what i want is ', 'i want '), ('what i need is ', 'i want '))
KEPT_GERUNDS = frozenset('holding standing lying sitting building'.split())


def _each(meaning: str, *phrases: str) -> dict[str, str]:
    return dict.fromkeys(phrases, meaning)


def _with_ends(starts: str, ends: str) -> Iterator[str]:
    return (f'{a} {b}' for a in starts.split('|') for b in ends.split('|'))


_PLACES = {
    **_each('each_other', 'on top of each other', 'on each other', 'on top of one another'),
    **_each('side_by_side', 'next to each other', 'next to one another', 'side by side',
            'close together', 'together', 'near each other', 'close to each other',
            'beside each other'),
    **_each('in_a_row', 'in line', *_with_ends(
        'in|into', 'a row|a line|one row|one line|a single row|a single line|a straight row|'
        'a straight line|one straight line|one straight row|a neat row|a neat line|a nice row|'
        'a nice line')),
    **_each('on', 'on top of', 'on the top of'), 'to the top of': 'onto',
    **_each('in_front_of', 'in front of', 'down in front of', 'over in front of'),
    'at the back of': 'behind',
    **_each('left_of', *_with_ends(
        'to the|on the|down on the|down to the',
        'left side of|left of|left-hand side of|left hand side of|left-hand of'), 'left of'),
    **_each('right_of', *_with_ends(
        'to the|on the|down on the|down to the',
        'right side of|right of|right-hand side of|right hand side of|right-hand of'),
            'right of'),
    **_each('near', 'next to', 'close to', 'near to', 'adjacent to', 'beside', 'alongside',
            'by the side of', 'right beside', 'up against', 'right next to'),
    **_each('between', 'in between', 'in the middle between'),
    **_each('halfway', 'halfway between', 'half way between', 'midway between',
            'exactly between', 'right between', 'half-way between'),
    **_each('to', 'over to', 'across to'), 'over by': 'near', 'over on': 'on', 'down on': 'on',
    **_each('in', 'over in', 'down in', 'down into'), 'down onto': 'onto',
    **_each('left_of it', 'on its left', 'to its left', 'left of it'),
    **_each('right_of it', 'on its right', 'to its right', 'right of it'),
    **_each('from', 'out of', 'off of', 'off from', 'off', 'out from'),
    **_each('into', 'in to', 'inside of'), 'on to': 'onto', 'inside': 'in', 'within': 'in',
    **_each('to_me', 'here', 'to me', 'over here', 'towards me', 'over to me', 'to us',
            'within my reach', 'where i can reach it'),
    **_each('away', 'out of here', 'away from here'),
    **_each('a_bit', 'a little bit', 'a little', 'a bit', 'slightly', 'a tiny bit', 'a touch',
            'a smidgen', 'a tad'),
    **_each('far_out', 'as far', 'all the way to the', 'all the way', 'to the far',
            'fully to the'),
    **_each('far_at', 'on the far', 'at the far'),  # it may also say which one
    **_each('', 'as possible', 'as you can', 'already', 'yet', 'currently', 'very'),
    **_each('leftmost', *_with_ends('furthest|farthest|most', 'to the left|left')),
    **_each('rightmost', *_with_ends('furthest|farthest|most', 'to the right|right')),
    'per': 'on each',
    **_each('out_of_the_way', *_with_ends('out of', 'the way|my way|our way')),
    'over there': 'over_there', 'to where': 'where',
    **_each('apart_from', 'away from', 'further away from', 'further from', 'clear of'),
    **_each('closer_to', 'closer to', 'nearer to'),
}
_NOT = {
    **_each('except', 'apart from', 'except for', 'other than', 'but not', 'excluding', 'besides',
            'aside from', 'with the exception of', 'save for', 'not including',
            'not counting'),
    **_each('. leave', 'without touching', 'without disturbing', 'without move',
            'but not touch',
            'but not move', 'but do not touch', 'but do not move'),
    **_each('leave', 'do not touch', 'do not move', 'not touch', 'not move', 'never touch',
            'never move', 'do not disturb', 'not disturb'),
    **_each('stays', *_with_ends('must|should|is to|are to|can|may',
                                 'not be moved|not be touched|not move|stay|remain'),
            'stay', 'remain', 'remains', 'stays put', 'stay there', 'stays there', 'stay put'),
    **_each('not', 'do not', 'never'),
    **_each('instead_of', 'instead of', 'rather than', 'in place of', 'as opposed to'),
    **_each('only', 'nothing but', 'nothing except', 'nothing other than', 'solely'),
    **_each('no thing', 'nothing', 'nothing left', 'nothing remaining'), 'something': 'a thing',
    'one more': 'a',
    **_each('left_to_right', *_with_ends('from|going from|running from|ordered from|counting from',
                                         'left to right|the left to the right'), 'left to right'),
    **_each('right_to_left', *_with_ends('from|going from|running from|ordered from|counting from',
                                         'right to left|the right to the left'), 'right to left'),
    'nothing else': 'nothing_else', 'none of the': 'no',
    **_each('everything except the', *_with_ends('everything bar|anything bar|all bar',
                                                 'the|my|your|our|these|those')),
    **_each('and leave the rest', ', nothing else', 'and nothing else', 'but nothing else',
            'and do nothing else', 'and touch nothing else', 'and move nothing else',
            'nothing else though'),
    **{said: f'and nothing_else {said.split()[-1]}' for said in _with_ends(  # no "leave the rest"
        'and nothing else|, nothing else|but nothing else', 'in|on|into|onto|inside|at|next')},
    'upside down': 'upside_down', 'at least': 'at_least',
    **_each('at_most', 'at most', 'no more than', 'not more than', 'a maximum of'),
    **_each('only_there', *_with_ends('and nothing else|but nothing else|nothing else|'
                                      'and nothing more', 'in it|inside|inside it|in there')),
    **_each('the rest', *_with_ends('the rest of the', 'table|desk|worktop|scene')),
    **_each('', *_with_ends('any|any one|either|either one|anyone', 'will do|is fine|is ok'),
            *_with_ends('i do not mind|i do not care|it does not matter|no matter',
                        'which|which one|which ones')),
    **_each('two', 'a couple of', 'a pair of'),
    **_each('', *_with_ends('if there is|if there is still|if there is enough', 'room|space'),
            'if it fits', 'if they fit', 'unless it is already there',
            'if it is not already there', 'if it is not there already', 'if it is not there',
            'unless it is there already', 'if needed', 'if necessary',
            'if you can', 'if possible', 'if you like', 'if you do not mind'),
}
_ORDER = {
    **_each('.', 'after that', 'afterwards', 'and then', 'then', 'finally', 'lastly',
            'after this', 'next ,', 'followed by', 'once that is done', 'once done',
            'when that is done', 'when done', *_with_ends(
                'when|once|and when|and once|after', 'you are done|you have finished|finished|'
                'you are finished|you have done that')),
    **_each('', 'one after the other', 'one after another', 'one by one', 'one at a time',
    'in turn',
            'to start with', 'to begin with'),
    **_each('after', *_with_ends('after|once|when|as soon as', 'you have'), 'after you'),
    'before you': 'before',
}
_STATE = {
    **_each('exists', 'there is', 'there are', 'you see', 'you find', 'you can see', 'we have',
            'you have', 'you spot', 'there exists'),
    **_each('goes', *_with_ends(
        'should|must|has to|have to|needs to|need to|ought to|is to|are to|wants to|want to|'
        'is supposed to|are supposed to|is meant to|are meant to|has got to|have got to|'
        'is got to|shall',
        'be|go|end up|sit|get put|stand|lie|land|rest|live|come|be put|be placed|be moved|'
        'be standing|be sitting|be lying'),
            'would like to be', 'would like to go', 'belongs', 'belong', 'gets put', 'get put',
            'ends up', 'end up'),
    **_each('ensure', 'make sure that', 'make sure', 'ensure that', 'ensure', 'see to it that',
            'make it so that', 'make it so', 'make that', 'see that',
            'arrange it so that', 'there should be', 'there must be', 'there has to be',
            'there have to be', 'there needs to be',
            'there need to be', 'i want there to be', 'there ought to be'),
    **_each('ensure no', *_with_ends(
        'there should|there must', 'not be any|not be a|not be any of the|be none of the'),
            'i do not want any', 'we do not want any'),
    **_each('contains no', *_with_ends(
        'should|must', 'not contains any|not contains a|not hold any')),
    **_each('ensure only', 'there should only be', 'there must only be'),
    **_each('ensure', *_with_ends('it would be', 'nice if|good if|great if|best if'),
            'i would appreciate it if', 'i would like it if', 'i would be glad if'),
    **_each('i_want', 'all i want is', 'all i need is', 'i want to have',
            'i would like to have', 'i want', 'i would like',
            'i need', 'i would love', 'i would prefer', 'we want', 'we need', 'let us have',
            'let is have', 'i wish to have',
            'i would rather have', 'i would rather', 'we would like', 'i prefer'),
    'have the': 'i_want the', 'have all': 'i_want all', 'have both': 'i_want both',
    **_each('contains', *_with_ends('should|must|has to|needs to|ought to', 'contains|hold|have')),
    **_each('i_want', *_with_ends('can|could|may', 'i have|we have|i get|we get')),
    **_each('give me', 'gimme', 'lemme have',
            'let me have', 'i will have', 'i will take'),
    **_each('held_thing', 'what you have got', 'what you have', 'what you have in your hand',
            'what you have got in your hand', 'what you are holding', 'what you hold',
            'whatever you are holding',
            'whatever you hold', 'whatever is in your hand',
            'the held object',
            'the thing you are holding', 'what is in your hand', 'what is in the gripper',
            'the thing in your hand', 'the thing in the gripper'),
    **_each('everything that is in', 'what is in', 'the contents of', 'contents of',
            'all that is in', 'all the contents of', 'everything inside'),
    **_each('everything that is on', 'what is on', 'what is on top of', 'whatever is on top of'),
    'whatever': 'everything',
    **_each('everything that is', 'whatever is', 'whichever is', 'all that is', 'all which is'),
    'gets its own': 'goes on its own', 'get their own': 'goes on their own',
    'gets a': 'goes on a',
    **_each('same_colour', *_with_ends('of the|with the|in the|having the', 'same colour'),
            'of its colour', 'of its own colour', 'of their colour', 'that matches its colour',
            'of matching colour', 'in its colour', 'of the matching colour', 'matching its colour',
            'that matches', 'that matches it', 'matching it', 'with its colour',
            *_with_ends('that|which', 'has its colour|has the same colour|is the same colour|'
                        'is of the same colour|is its colour|shares its colour|'
                        'fits its colour|has the matching colour|has its own colour'),
            *_with_ends('that have|that are|with', 'their colour')),
    **_each('one same_colour', *_with_ends('one of the|one with the', 'same colour')),
    **_each('everything', 'all of it', 'it all', 'the lot', 'the whole lot',
            'absolutely everything', 'all of this', 'all of that', 'all this stuff',
            'all that stuff', 'all the stuff'),
    **_each('if exists', 'if you can see', 'if you can find', 'if there happens to be',
            'if there happen to be', 'if you happen to see', 'if you happen to find',
            'if you happen to have', *_with_ends(
                'should there|should there happen to', 'be'), *_with_ends(
                'should you|should you happen to', 'see|find|have|spot')),
    **_each('where it was', *_with_ends(
        'where you|to where you', 'found it|got it|got it from|took it from|picked it up|'
        'picked it up from|had it from')),
    **_each('back where it was', *_with_ends(
        'back|back down', 'in the same place|at the same place|in its place|in its old place|'
        'to its place|to its old place|to its old position|on the same spot|to the same place')),
    **_each('any_one', 'one of the', 'one of', 'any one of the', 'any of the'),
}
_TURNS = {
    **_each('@90', 'a quarter turn', 'a quarter of a turn', 'a right angle', 'quarter turn',
            'one quarter turn'),
    **_each('@180', 'a half turn', 'half a turn', 'half turn', 'one half turn'),
}
_POLITE = _each(
    '', 'please', 'kindly', 'thank you', 'thanks', 'for me', 'hey robot', 'could you', 'can you',
    'would you', 'will you', 'would you mind', 'i want you to', 'i would like you to',
    'i need you to', 'you should', 'go ahead and', 'let is', 'maybe', 'be so kind as to',
    'be so kind and', 'i think', 'now', 'just', 'ok', 'okay', 'gently', 'carefully', 'slowly',
    'quickly', 'let us', 'robot ,', 'hey', 'hi', 'hello', 'oi', 'mate', 'buddy', 'cheers', 'ta',
    'thanks a lot', 'many thanks', 'thx', 'would it be possible to', 'is it possible to',
    'do you think you could', 'i was wondering if you could', 'could you possibly', 'possibly',
    'would you be able to', 'are you able to', 'you can', 'you could', 'you may', 'try to',
    'i ask you to', 'your task is to', 'be a dear and', 'simply', 'quick', 'right now',
    *_with_ends('i wonder if', 'you could|you would|you can'), 'if you could', 'if you would',
    *_with_ends('is it|would it be', 'ok if you|okay if you|alright if you|possible that you'),
    *_with_ends('as fast|as quickly|as soon|as gently|as carefully|as slowly',
                'as you can|as possible'),
    *_with_ends('hey|hi|hello', 'there'), 'mind', 'do you mind', 'shall we', 'go and',
    'be good and', 'could i ask you to', 'can i ask you to', 'help me to', 'help me',
    'straight away', 'asap', 'would you kindly', 'feel free to', 'you need to', 'you have to',
    'you must', 'we should', 'time to', 'dear robot', 'good robot', 'right away', 'immediately',
    'alright', 'yo', 'hiya', 'dude', 'um', 'uh', 'erm', 'you would better', 'you had better',
    'you better', 'off you go and', *_with_ends(
        'i would be glad if|i would like it if|it would be nice if|it would be great if|'
        'i would appreciate it if|it would be good if|i would be grateful if|'
        'i would be happy if', 'you|you would|you could'),
    'please to', 'pretty please', 'will you please', 'would you please', 'why do not you',
    'why do not we', 'why not', 'how about', 'how about you', 'what about',
    'wo not you', 'would not you', 'could not you',
    'any chance you could', 'is there any chance you could', 'i guess', 'there is a good robot',
    'there is a dear', 'when you get a chance', 'when you have a moment', 'when you can',
    'do me a favour and', 'do me a favor and', 'friend', 'pal', 'big thanks', 'for us',
    'thanks in advance', *_with_ends(',|and', 'done|that is it|that is all'))
LOOKS = tuple(_with_ends('have|take', 'a look|another look|a quick look|a fresh look|a new look|'
                         'a good look|one more look|a second look'))
_MORE = {
    **_each('too', 'as well', 'also'),
    **_each('and', 'and also', 'as well as', 'along with', 'together with', 'plus',
            'in addition to'),
    **_each('if', 'in case', 'provided that', 'provided', 'as long as', 'assuming',
            'assuming that', 'in the event that'),
    **_each('every', 'every single', 'each and every'),
    **_each('look around', *LOOKS, *_with_ends('|'.join(LOOKS), 'around|round')),
    **_each('observe at', *_with_ends('|'.join(LOOKS), 'at')),
    **_each('apart', 'to pieces', 'into pieces'),
    **_each('. leave', *_with_ends('i still|we still|i will still', 'need|use'),
            'i am still using', 'i am not done with', 'i am not finished with'),
    **_each('hold', 'hold on to', 'hold onto', 'hang on to', 'hang onto'),
    **_each('bottom_up', *_with_ends(
        'from the|from', 'bottom to the top|bottom to top|bottom up')),
    **_each('top_down', *_with_ends('from the|from', 'top to the bottom|top to bottom|top down')),
    **_each('in_order', 'in that order', 'in this order'),
    **_each('trash', 'trash can', 'trash bin', *_with_ends(
        'rubbish|garbage|waste|dust|litter', 'bin|can|basket'), 'waste paper basket'),
    **_each('', 'piece of', 'pieces of'),
    **_each('of', 'made of', 'made out of', 'made from', 'made up of'),
    **_each('throw away', 'get rid of', 'dispose of', 'discard', 'do away with'),
}
PHRASES: Mapping[str, str] = {**_PLACES, **_NOT, **_ORDER, **_STATE, **_TURNS, **_POLITE, **_MORE}


def verb_form(word: str, verbs: Iterable[str]) -> str:
    """The verb that a word like "putting" is a form of; else the word."""
    if not word.endswith('ing') or word in KEPT_GERUNDS:
        return word
    stems = (word[:-3], f'{word[:-3]}e', word[:-4])
    return next((stem for stem in stems if stem in verbs), word)
