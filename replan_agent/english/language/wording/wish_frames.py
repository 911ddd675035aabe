"""Wishes and statements as plain ones: "mum wants the lime in the bowl"."""

from __future__ import annotations

from ..words import COLOURS, DETERMINERS, HOLDERS, SIZES
from .asides import PEOPLE
from .counted_words import rules

PREP = (r'(?:in|into|on|onto|to|inside|next to|beside|behind|between|near|left of|right of|'
         r'in front of|on top of|at|by)')
HOLDER = rf'(?:{"|".join(sorted(HOLDERS))})'
HOLDER_S = f'{HOLDER}(?:e?s)?'
MODAL = (r'(?:should|must|has to|have to|needs to|need to|ought to|is to|are to|shall|had better|'
          r'would better)')
_PASSED = (r'(?:put|placed|moved|brought|dropped|set|taken|carried|transferred|shifted|laid|'
           r'thrown|tossed|chucked|dumped|popped|stored|parked)')
GLAD = (r'(?:very |really |so |most )?(?:nice|good|great|lovely|best|cool|better|perfect|helpful|'
        r'fantastic|wonderful|awesome|kind|ideal|super|brilliant|happy|glad|grateful|pleased|'
        r'delighted|thankful|fine)')
PUT = r'(?:put|place|move|drop|bring|set|take|throw|carry|transfer|stick|pop|lay)'
NP = r'(?:the|a|an|my|your|our|all|both|every|each|everything|these|those|that|this)\b[^,.;:!?]*?'
# "the bowl with the lime" is one thing
NO_HOLDER = ''.join(rf'(?<!\b{word})' for word in sorted({*HOLDERS, 'one'}))

# "the can go in the bin": it may be a thing
_NO_NOUN = ''.join(rf'(?<!\b{word})' for word in sorted(DETERMINERS | COLOURS | SIZES.keys()))

WISHES = rules(
    # Wishes
    (rf'\b(?!i |we |you |nobody |no one )({PEOPLE}) (?:wants|needs|want|need|would like|would '
     rf'love|wishes|asked '
     rf'for|prefers) '
     rf'(?:to (?:have|see) )?(?={NP} {PREP} )', 'i want '),
    (rf'\b(?!i |we |you |nobody |no one ){PEOPLE} (?:says|said|asked me|asked you|told me|told '
     rf'you|wants you|'
     rf'wants us|'
     rf'would like you|wants me|asks you) (?:that )?(?:to|you should|we should) ', ''),
    (rf'^(?!i |we |you |nobody |no one |they |some|any|people ){PEOPLE} '
     rf'(?:says|said|thinks) (?:that )?(?={NP} (?:should|must|goes|go|belongs?|needs? to)\b'
     r'(?! not)(?:[^.;!?]|\.\d)*[.!\s]*$)', ''),  # it is all that is said
    (r'\bi (?:want|would like|would love|wish|expect|hope|need) (?:to (?:see|find|have)|that) '
     r'(?=the|a|all|both|every|my|an)', 'i want '),
    (r'\b(?:let me see|show me|can we have|can we get|could we have|could we get|let us get|'
     r'i would be (?:happy|glad|pleased) to (?:see|have)|it would be (?:nice|good|great|lovely|'
     rf'best|cool|better) to (?:have|see)) ({NP}) (?={PREP} )', r'i want \1 '),
    (rf'\b(?:i would (?:like|love|appreciate|prefer) it|(?:it|i) would be {GLAD}|'
     rf'how about) if ({NP}) (?:ended up|was|were|went|sat|stood|landed|got|could be|could go|'
     r'would be|would go|were to (?:be|go)|came|lay|moved)(?: put| placed| moved)? ', r'\1 goes ',
     'if'),
    (r'\bhow about if (?:you|we) (?=put|place|move|take|bring|set)', '', 'if'),
    (rf'\bcould ({NP}) (?:please )?(?:be|get) ({_PASSED}|turned|rotated) ([^.;!?]*)\?',
     r'\1 should be \2 \3'),
    (rf'\b(?:i|we) (?:want|need|would like) ({NP}) (?:to )?(?:be|get|go) (?:over )?(?={PREP} )',
     r'\1 goes '),
    # Statements
    (rf'\b({MODAL}) to (?=be|go)', r'\1 '),
    (rf' {MODAL} (?:be found|be located|be kept|be stored|be lying|be resting|be waiting|find '
     rf'(?:its|their) way|'
     rf'make (?:its|their) way|finish|finish up|wind up|arrive|join the others|be left|'
     rf'be set|be dropped|be brought|be transferred|be shifted|be carried|be deposited|'
     rf'be relocated)(?: over)? (?={PREP} )', ' goes '),
    (rf' {MODAL} (?:move|be moved|shift|be shifted|travel) (?=\d|from|a bit|a little|left|right|'
     rf'forward|back|'
     rf'over|{PREP} )', ' goes '),
    (rf'{_NO_NOUN} (?:can|may) (?:now |all |both )?(?:go|move|be {_PASSED}) '
     rf'(?:over )?(?={PREP} )',
     ' goes ', 'all both'),
    (rf' (?:winds? up|lands?|finish(?:es)? up|finds? (?:its|their) way|makes? (?:its|their) way|'
     rf'ha(?:s|ve) (?:its|their) place|'
     rf'lives?|moves|(?:is|are|would be) better(?: off)?|will go|is going|are going|'
     rf'jumps|hops|wanders|travels|had better (?:be|go)) '
     rf'(?:over )?(?={PREP} )', ' goes '),
    (rf'\b({NP})(?: is|s)? (?:proper |right )?(?:place|home|spot) is (?={PREP} )', r'\1 goes '),
    (r'(^|[.,;] ?|\band )([\w ]+?) joins? the others (?=(?:in|on) )', r'\1\2 goes '),
    (rf'(^|[.,;] ?|\band )([\w ]+?) joins? ({NP}) ((?:in|on) [^,.;!?]+)', r'\1\2 goes \4 with \3'),
    (rf'\b(?<!no )(?<!not )((?:the )?(?!no |neither |not |only |any )(?:\w+ )?{HOLDER_S}'
     rf'(?: (?:in the middle|on the left|on the right))?) '
     rf'(?:gets|get|receives|is for|are for|takes|is where) ({NP})(?: goes?| go| belongs?)?'
     rf'(?=$|[.,;!]| and (?:the )?(?:\w+ )?{HOLDER_S} (?:gets|is for|receives))', r'put \2 to \1'),
    (rf'\bfind (?:a|some) (?:home|place|spot|space|room) for ({NP}) (?={PREP} )', r'put \1 '),
)
