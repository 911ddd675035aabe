"""The vocabulary: verbs, prepositions, quantities, superlatives."""

from __future__ import annotations

from ..nouns import BINS
from .phrases import Relation

THROW_VERBS = frozenset('throw toss dump chuck fling lob hurl sling bung'.split())
PUT_VERBS = THROW_VERBS | frozenset(
    'put place set move drop lay bring carry take get shift stick pop transfer deposit position '
    'relocate load insert return stash collect gather arrange plonk plop plunk whack slap tuck '
    'slot stow store send serve deliver dunk scoop haul lug whip scoot budge add park settle '
    'perch ease slip ferry convey reposition situate sweep'.split())
DISCARD_VERBS = frozenset('bin trash ditch scrap junk'.split())  # what they name goes in the bin
# "in" describes
FETCH_VERBS = frozenset('take get bring carry grab fetch collect retrieve'.split())
TO_ME_VERBS = FETCH_VERBS | frozenset('hand give pass find serve reach deliver pick'.split())
PICK_VERBS = frozenset('pick lift grasp grab take get fetch hold raise hoist seize clutch '
                       'retrieve grip clasp'.split())
SLIDE_VERBS = frozenset('push slide nudge shove'.split())
PULL_VERBS = frozenset('pull drag'.split())
TIPPING_VERBS = frozenset('tip topple knock flip tilt overturn invert'.split())  # refused
OTHER_VERBS = frozenset(
    'stack pile unstack build make create swap exchange switch sort order group organise line '
    'tidy clean clear empty turn rotate spin stand hand give pass fill remove release let open go '
    'home look observe scan replan plan leave keep let dismantle trade undo wait spread'.split())
# "I want it turned", "it should be thrown away": the verb that each is a form of.
PARTICIPLES = dict(pair.split(':') for pair in (
    'turned:turn rotated:rotate twisted:turn spun:spin stacked:stack piled:pile built:build '
    'sorted:sort grouped:group lined:line arranged:arrange swapped:swap switched:switch '
    'exchanged:exchange thrown:throw tossed:toss dumped:dump chucked:chuck binned:bin '
    'trashed:trash cleared:clear emptied:empty tidied:tidy removed:remove taken:take '
    'picked:pick lifted:lift handed:hand given:give passed:pass brought:bring returned:return '
    'pushed:push pulled:pull nudged:nudge moved:move placed:place dropped:drop put:put '
    'positioned:position shifted:shift transferred:transfer parked:park').split())
SWAPS = frozenset('swap switch exchange trade change'.split())
HANDLING = PUT_VERBS | PICK_VERBS | SWAPS  # they end phrases
VERBS = (PUT_VERBS | PICK_VERBS | SLIDE_VERBS | PULL_VERBS | TIPPING_VERBS | OTHER_VERBS
         | DISCARD_VERBS)
NOUN_LIKE = frozenset('bin trash stick scrap junk store slot'.split())  # also things

BUILDING = frozenset('stack pile build make create'.split())
TOWERS = ('tower', 'stack', 'pile')

# "Hand me the cube over there": it says which one. After other verbs it is a destination.
POINTED_AT = frozenset('hand give pass pick grab lift fetch grasp'.split())

RELATIONS: dict[str, Relation] = {
    'in': Relation.IN, 'into': Relation.IN, 'on': Relation.ON, 'onto': Relation.ON,
    'to': Relation.TO, 'near': Relation.NEAR, 'by': Relation.NEAR, 'between': Relation.BETWEEN,
    'left_of': Relation.LEFT_OF, 'right_of': Relation.RIGHT_OF,
    'in_front_of': Relation.IN_FRONT_OF, 'behind': Relation.BEHIND, 'from': Relation.FROM,
    'towards': Relation.TOWARDS, 'closer_to': Relation.TOWARDS,
    'apart_from': Relation.APART_FROM, 'halfway': Relation.HALFWAY}
# They never describe an object.
DESTINATIONS = frozenset('into onto to towards closer_to apart_from halfway'.split())
UNDER = frozenset('under below beneath underneath'.split())
BEYOND = UNDER | frozenset('above over through around against across '
                   'upside_down with without over_there out_of_the_way'.split())
DETERMINERS = frozenset('the a an this that these those my your its their our'.split())
INDEFINITE = frozenset({'a', 'an'})
ALL = frozenset('all every each everything anything'.split())
QUANTITIES = ALL | frozenset('both some any either no only exactly any_one another'.split())
MASS = frozenset((word,) for word in  # "the fruit" is all of it, "the red fruit" one
                 'fruit stuff cutlery crockery food junk litter'.split())
ANY = frozenset('any either'.split())  # one of them, or all if a plural follows
SUPERLATIVES: dict[str, str] = {
    'leftmost': 'left', 'left': 'left', 'left-hand': 'left', 'rightmost': 'right',
    'right': 'right', 'right-hand': 'right', 'nearest': 'near', 'closest': 'near',
    'farthest': 'far', 'furthest': 'far', 'biggest': 'big', 'largest': 'big',
    'smallest': 'small', 'tallest': 'tall', 'shortest': 'short', 'longest': 'long',
    'highest': 'top', 'topmost': 'top', 'top': 'top', 'uppermost': 'top', 'lowest': 'bottom',
    'bottom': 'bottom', 'upper': 'top', 'lower': 'bottom', 'front': 'front',
    'frontmost': 'front', 'rear': 'rear', 'back': 'rear',
    'middle': 'middle'}
SIZES: dict[str, str] = {
    'big': 'big', 'bigger': 'big', 'large': 'big', 'larger': 'big', 'huge': 'big',
    'small': 'small', 'smaller': 'small', 'little': 'small', 'tiny': 'small', 'tall': 'tall',
    'taller': 'tall', 'short': 'short', 'shorter': 'short', 'long': 'long', 'longer': 'long'}
ORDINALS = {'first': 1, 'second': 2, 'third': 3, 'fourth': 4, 'fifth': 5, 'next': 1,
            'last': 0}
PRONOUNS = {'it': 'it', 'this': 'it', 'that': 'it', 'them': 'them', 'these': 'them',
            'those': 'them', 'they': 'them', 'held_thing': 'held', 'there': 'there'}
# What things are put in or on: "the bowl with the eggs", "red cube: bowl".
HOLDERS = BINS | frozenset('bowl basket tray crate box container dish plate saucer'.split())
WITH_VERBS = frozenset('fill swap switch exchange stack pile build make create'.split())
# "the cube lying on the plate"
LYING = frozenset('lying standing sitting resting located placed positioned stacked stood '
                  'situated perched piled'.split())
PERSONS = frozenset('you yourself me us'.split())
COLOURS = frozenset('red green blue yellow white black grey orange purple pink brown cyan magenta '
                    'turquoise violet beige wooden dark light'.split())
DIRECTIONS = {'left': 'left', 'right': 'right', 'forward': 'forward', 'backwards': 'back',
              'back': 'back', 'front': 'near', 'away': 'away', 'closer': 'closer'}
ENDS = frozenset('and or except that which who is are goes too if until otherwise else but unless '
                 'exists each_other in_a_row side_by_side a_bit to_me not at down up out so '
                 'because when while before after where instead_of stays far_out same_colour '
                 'contains far_at at_least at_most in_order bottom_up top_down '
                 'leave for was were be alone dead clockwise counterclockwise should as '
                 'must has have holds does elsewhere apart again further'.split()
                 ) | RELATIONS.keys() | BEYOND
STARTS_OBJECT = DETERMINERS | QUANTITIES | PRONOUNS.keys()  # of a phrase that names a thing
