"""The words that tell a remark from an order. A remark has no word that may change an order."""

from __future__ import annotations

import re

from ..everyday import CONTRACTIONS
from ..words import COLOURS, LYING, PARTICIPLES, SIZES, SUPERLATIVES, VERBS

_WORD = re.compile(r"[a-z][a-z'-]*|\d+")

CONDITIONS = frozenset(
    'if unless until till when whenever while once before after provided assuming supposing '
    'otherwise else or whether'.split())
# Bans, limits, corrections, doubts, duties, times, counts: whoever says them may mean an order.
CHANGES = CONDITIONS | frozenset((
    'not no never nor neither nobody nothing none without except excluding but apart only '
    'instead rather than any either all every each everything anything both other others another '
    'rest same different more again already yet still keep keeps leave leaves stay stays remain '
    'remains stop wait pause touch allowed forbidden banned prohibited off-limits reserved '
    'actually sorry oops correction scratch mean means meant mistake wrong undo cancel ignore '
    'disregard forget nevermind skip changed joke joking kidding lied lie pretend imagine example '
    'test suppose supposed think guess believe maybe perhaps probably wonder doubt '
    'regret should must ought shall would need needs want wants wish wishes like prefer goes '
    'belongs belong better you your yourself myself turn turns next then later tomorrow minute '
    'minutes hour hours seconds zero two three four five six seven eight nine ten eleven twelve '
    'half twice left right front back side sides facing opposite view perspective arm gripper '
    'finger fingers danger emergency fire stuck trapped hypothetically who which whose against '
    'optional impossible cancelled canceled postponed unnecessary trap illegal unsafe risky '
    'pointless hypothetical fake fictional quote decided refused vetoed promised warned thinking '
    'wondering saying say says talking reading quoting agree agreed approve allow permit serious '
    'sure certain said speaking spoke told asked wrote written shouted yelled heard hearing read '
    'talked called whispered rule rules speech figure story dream poem title robot camera power '
    'close near nearby across watching hand'
    ).split())
# What says where or how a thing is. Of a thing that is a state, or a goal, and no remark.
STATES = frozenset((
    'in on at to into onto under over near by behind between beside inside outside above below '
    'against from off out up down middle centre center edge corner top bottom away together here '
    'there upright level straight flat centred centered visible hidden touching aligned parallel '
    'sideways upside close closer far high low full empty occupied closed open missing '
    'glued fixed locked free gone taken '
    'tied attached blocked').split()
    ) | PARTICIPLES.keys() | LYING | COLOURS | SIZES.keys() | SUPERLATIVES.keys()
OWNED = frozenset('mine yours his hers ours theirs'.split())
# Who says so of a thing may want it to be left alone when "everything" goes away.
PROTECTED = OWNED | frozenset(
    'precious favourite favorite fragile delicate important valuable expensive special new good '
    'fine great nice lovely beautiful pretty clean hot dangerous sharp gift present borrowed '
    'rented sacred loved irreplaceable for my our'.split())
# Phrases of which no word counts: "in my way" is no place.
HARMLESS = re.compile(
    r'\b(?:in (?:my|the|our|everyone is) way|gone (?:off|bad|mou?ldy|soft|brown|black|rotten|'
    r'stale|sour|hard|cold|green|funny|all \w+)|on my nerves|out of date|out of order|past it is '
    r'best|past its best|too long|long enough|(?:an? )?long (?:day|night|week|shift)|'
    r'(?:too|so) (?:(?:close|near) (?:together|to (?:each other|one another))|far apart)|'
    r'falling apart|looks? like|all over|all (?:day|night|morning|week|year)|'
    r'(?<=^my )back|(?<=^my )(?:left|right|other) (?=\w+ )|'
    r'(?<=^i )(?:have|need|got) to|(?<=^i )must|(?<=^i )(?:can|could|do|did|have|am|was) not|'
    r'(?<=^i have )got to|up to here|'
    r'for (?:today|tonight|now|ever|ages|days|weeks|the day))\b'
    r'|\bleft(?= (?:quite|such|an?|the|that|those|these|his|her|their|some|my|our|it|them)\b)')
PERSONS = frozenset('i we he she somebody someone everybody everyone'.split())
THINGS = frozenset('it they this that these those there'.split())  # as the subject of a remark
# What a thing has: its place says where it goes.
GOALS = frozenset('place spot home position target destination goal partner twin pair neighbour '
                  'neighbor lid contents content turn owner colour color size name'.split())
DETERMINERS = frozenset('the my our his her their a an this that these those some'.split())
JOINERS = frozenset('and so well because cause cos since as anyway honestly today tonight now '
                    'just also finally'.split())
_COPULAS = frozenset('is are am was were has have had looks look smells smell seems seem feels '
                     'feel tastes taste stinks stink reeks bothers bother annoys annoy bugs bug '
                     'hurts hurt weighs weigh costs cost'.split())
_PAST = frozenset('was were had has have did left made came went got broke fell forgot bought '
                  'brought gave found lost ate spilt saw felt ran slept sat stood threw took put '
                  'set'.split())
_STIRS = frozenset('drives makes gives gets drive'.split())  # "drives me mad"
_ACTED = frozenset('will can could may might does do hates hate loves love starts start ends '
                   'begins rings comes arrives fancy hear miss enjoy adore adores see '
                   'sees'.split())
ALONE = frozenset('stinks stink reeks hurts hurt smells bothers annoys rings'.split())
DANGLING = frozenset('to the a an my our his her their of with and for by in on at from is are am '
                     'was were will can could may might not very so too'.split())
# After "dad made me" no order begins.
DOERS = frozenset('i we he she they you me him her us it them'.split())
ASIDES = frozenset('ew eww yuck yay ugh argh phew gosh blimey crikey careful whoa woah wow oh ah '
                   'ok okay alright '
                   'so well hey hi hello hm hmm um uh uhm er erm yeah yep dear boy man '
                   'goodness damn dammit heck jeez sigh oof yikes brr ooh aha please pls plz '
                   'great super nice perfect thanks thank cheers now and then basically '
                   'honestly'.split())
# A whole part of a sentence that only announces the order: "salad time", "last one for today".
HEADER = re.compile(
    r'(?:it is )?(?!(?:this|that|next|last|first|some|same|every|any|one|another|each|a|the|in|on|'
    r'at|of|long|no) )[a-z-]+ time|'
    r'(?:(?:just )?(?:one|the|my|a|another) )?(?:very |really )?(?:last|final|quick|new|little|'
    r'small|easy|simple) (?:one|thing|task|job|request|favou?r|order|errand)'
    r'(?: (?:for|of) (?:today|tonight|now|me|the (?:day|night|evening|morning|shift)))?')
# What only sighs, or says who speaks: "what a mess", "my turn", "we are class 4b"
SIGH = re.compile(
    r'what an? (?:\w+ )?(?:mess|chaos|day|night|week|pity|shame|disaster|nightmare|state)|'
    r'(?:it is )?my (?:turn|go)(?: now| again)?|(?:we are|this is) (?:the )?(?:class|group|team|'
    r'grade|form)(?: (?:\d+(?: [a-z])?|[a-z]))?|(?:my|our) hands are (?:\w+ )?(?:clean|'
    r'empty|free)')
# Praise: "well done", "you are a star"
PRAISE = re.compile(
    r'(?:very )?(?:well done|(?:good|great|nice|lovely|excellent) (?:job|work|one|stuff))'
    r'(?: so far| robot)?|you are (?:so |very |really |such |simply |just )?(?:an? |the |my )?'
    r'(?:real |true )?(?:star|best|legend|hero|lifesaver|life saver|angel|kind|great|'
    r'amazing|awesome|brilliant|gem|darling|genius|sweet|wonderful|doing (?:great|well|fine))')
# "so it has company": what a thing feels says nothing about where it goes.
PURPOSE = re.compile(
    r'(?:so|so that|that way) (?:it|they|he|she) (?:has|have|gets?|finds?|makes?|(?:is|are)|'
    r'feels?|can have|can get|can make|will have|does not feel|do not feel|is not|are not) '
    r'(?:a |an |some |so |all |as |very |new |more |bit |little |lovely |nice |good )*'
    r'(?:company|friends?|fun|rest|sleep|nap|lonely|alone|happy|at home|safe|cosy|cozy|bored|'
    r'sad|peace)')
TOGETHER = re.compile(r'(?:they|these|those|(?:the|these|those) two|both) (?:really |just |all '
                      r')?(?:(?:belong|go|look good) together|match(?: each other)?|are a pair)')
_DUTY = re.compile(r'\b(?:is|are|am|was|were|has|have|had) to\b')
_IN_DANGER = re.compile(r'\bmy (?:hands|arms|head|face|foot|feet) .*\b(?:way|under|between|in|'
                        r'on)\b')
_UNWRITTEN = {'im': 'i am', 'ive': 'i have', 'thats': 'that is', 'theyre': 'they are',
              'theres': 'there is', 'hes': 'he is', 'shes': 'she is', 'dont': 'do not',
              'cant': 'can not', 'wont': 'will not', 'isnt': 'is not', 'arent': 'are not'}


TOLD = frozenset('begged ordered instructed saw watched'.split())


def plain_words(text: str) -> list[str]:
    """The words of a text in small letters, without contractions."""
    text = text.lower().replace('\u2019', "'")
    for short, long in CONTRACTIONS:
        text = text.replace(short, long)
    return ' '.join(_UNWRITTEN.get(word, word) for word in _WORD.findall(text)).split()


def is_finite(word: str, of_a_thing: bool, after: str = '') -> bool:
    """Whether the word can be the verb of a remark. Of a thing, only what it is or has."""
    if word in _STIRS and after in ('me', 'us', 'everyone', 'everybody'):
        return True
    if word in _COPULAS or of_a_thing:
        return word in _COPULAS
    return word in _ACTED or is_past(word)


def is_past(word: str) -> bool:
    """Whether the verb tells what was, or what somebody has done."""
    return word in _PAST or (len(word) > 4 and word.endswith('ed'))


def told_words(words: list[str]) -> list[str]:
    """The words, with '' for each of a harmless phrase: "gone brown" is no colour."""
    said = HARMLESS.sub(lambda m: re.sub(r'\S+', '-', m[0]), ' '.join(words))
    return ['' if word == '-' else word for word in said.split()]


def may_change(words: list[str]) -> bool:
    """Whether a word of a remark may say what is to be done, or when, or that it is not."""
    told = told_words(words)
    return bool(_DUTY.search(' '.join(told)) or _IN_DANGER.search(' '.join(words))) or any(
        word in CHANGES or word.isdigit() for word in told)


def says_a_state(words: list[str]) -> bool:
    """Whether the words say where a thing is, which one it is, or how it lies."""
    return bool((STATES | VERBS) & set(told_words(words)))


# All that a remark may be made of, beside names of things. A word that is not here may be a ban,
# a doubt or a call for help: who knows all of those?
_SMALL = frozenset((
    'i we he she it they this that these those there here somebody someone everybody everyone me '
    'us them him her my our his its their a an the and so then because since as too very really '
    'so quite just almost bit little lot still now today tonight yesterday tomorrow soon '
    'already finally again later not is are am was were be been being has have had having do does '
    'did done will can could may might would got get getting go going gone went to of for with '
    'at in on off out up over by from about around back like enough all one ones two '
    'myself who what well oh ah ok okay also even more most').split())
_PLAIN = frozenset((
    'hungry thirsty tired sleepy bored busy late early happy sad excited cold warm sick ill old '
    'new fresh ripe rotten mouldy moldy stale smelly stinky dirty dusty greasy oily sticky muddy '
    'rusty slippery heavy soft hard juicy sweet sour delicious lovely nice great good fine cute '
    'pretty ugly awful terrible horrible disgusting bad boring loud noisy messy untidy cluttered '
    'full clean broken torn cracked worn bent lonely mad furious grumpy '
    'hands arms eyes back head hand feet legs ear handle leg tail wheel battery label lid '
    'mess chaos clutter site bomb way table desk room space kitchen office lab classroom school '
    'class lesson meeting exam homework holiday weekend monday tuesday wednesday thursday friday '
    'saturday sunday morning afternoon evening night day week year time deadline break party '
    'birthday dinner lunch breakfast supper snack meal soup salad cake pie coffee tea lemonade '
    'juice smoothie sauce stew bread flour sugar diet game match film show bike car door phone '
    'ringing glasses keys bed sleep nap work job shift task order favour favor thing things '
    'something fun company friend friends mum mom dad mother father wife husband '
    'son daughter sister brother kid kids child children baby boss teacher colleague neighbour '
    'neighbor guest guests customer inspector cleaner visitor visitors cat puppy dave anna bob '
    'making cooking baking cleaning washing working reading writing studying painting drawing '
    'playing waiting coming leaving looking moving starting having eating drinking expecting '
    'bake cook clean wash work read write study paint draw play start eat drink sit rest relax '
    'need needs love loves loved hate hates like likes fancy adore adores lives belong '
    'belongs smells smell stinks looks look feels weighs ton annoys bothers bugging bugs drives '
    'killing forgot dropped tripped washed bought made left broke found find lost arrives starts '
    'begins ends falling apart together alone everywhere long far close middle last final quick '
    'quickly mouthwatering star round jammed fell finished tidying starving peckish brown hot wet '
    'dry mine yours his hers ours theirs').split())
_LYING_AROUND = re.compile(r'\blying (?:around|about|here|there)\b')
_PARTS_OF_US = frozenset('hands arms hand feet legs head eyes back ear leg'.split())
_WHERE = frozenset('in on under inside near at between behind by into onto there'.split())


def is_ordinary(words: list[str], named: list[int]) -> bool:
    """Whether a remark has only ordinary words, which cannot be meant as an order or a ban.

    `named` are the positions of words that name a thing.
    """
    own = [word for i, word in enumerate(words) if i not in named]
    if _PARTS_OF_US & set(own) and own[0] != 'its' and _WHERE & set(own[1:]):
        return False  # "my hand is in there"
    said = _LYING_AROUND.sub(' ', ' '.join(own)).split()
    if 'not' in said and {'ready', 'done', 'finished'} & set(said):
        return False
    return set(said) <= _SMALL | _PLAIN | {'ready'}
