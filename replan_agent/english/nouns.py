"""The nouns of objects: plurals, names for the same thing, and what belongs to a group."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from replan_agent.domain.kinds import name_words

# What a bin for waste is called. A bin that is named so is meant before a tray or a crate.
BINS = frozenset('bin trash rubbish garbage wastebasket trashcan dustbin wastebin'.split())
# What things are put in or on: "the bowl with the eggs", "red cube: bowl".
HOLDERS = BINS | frozenset('bowl basket tray crate box container dish plate saucer'.split())
TOWERS = frozenset({'tower', 'stack', 'pile'})
# Names for the same thing, British and American.
SAME_THING = (BINS, *(frozenset(group.split()) for group in (
    'wrench spanner', 'mug cup beaker', 'torch flashlight', 'eraser rubber', 'biscuit cookie',
    'aubergine eggplant', 'courgette zucchini', 'pot saucepan',
    'phone cellphone mobile smartphone', 'pen biro marker felt-tip', 'tape sellotape',
    'box carton', 'can tin', 'soda cola', 'jug pitcher', 'sweet candy', 'hammer mallet',
    'bottle flask', 'glass tumbler', 'plate dish saucer', 'rag cloth', 'brush paintbrush',
    'corn maize', 'bell_pepper capsicum', 'lorry truck', 'sponge scourer', 'peg clothespin',
    'dog doggy doggie puppy', 'cat kitty kitten', 'car automobile', 'bunny rabbit')))
# Words for a colour as a camera names it; each is a colour of its own where a thing is called so.
SHADES = tuple(frozenset(group.split()) for group in (
    'red crimson scarlet', 'purple violet lilac', 'blue azure navy', 'cyan turquoise teal',
    'grey gray silver', 'yellow golden', 'wood wooden'))
COLOURS = frozenset('green white black orange pink brown magenta beige dark light'.split()).union(
    *SHADES) - {'wood'}
HAS_OTHER_NAMES = frozenset().union(*SAME_THING)
FRUIT = frozenset('apple apricot avocado banana blueberry cherry fig fruit grape grapefruit kiwi '
                  'lemon lime mandarin mango melon orange peach pear pineapple plum raspberry '
                  'strawberry tangerine tomato'.split())
VEGETABLES = frozenset('aubergine broccoli cabbage capsicum carrot cauliflower courgette cucumber '
                       'eggplant garlic leek lettuce onion potato pumpkin radish vegetable '
                       'zucchini'.split())
GROUPS: Mapping[str, frozenset[str]] = {
    'fruit': FRUIT,
    'vegetable': VEGETABLES, 'veggie': VEGETABLES,
    'food': FRUIT | VEGETABLES | frozenset(
        'biscuit bread bun butter cake cheese cookie cracker egg food meat roll toast'.split()),
    'tool': frozenset('chisel drill file hammer mallet pliers saw screwdriver spanner tool '
                      'wrench'.split()),
    'cutlery': frozenset('cutlery fork knife spoon teaspoon'.split()),
    'crockery': frozenset('beaker bowl crockery cup mug plate saucer'.split()),
}
# Plurals that no rule below makes.
IRREGULAR: Mapping[str, str] = {
    'dishes': 'dish', 'ones': 'one', 'people': 'person', 'children': 'child', 'men': 'man',
    'women': 'woman', 'mice': 'mouse', 'geese': 'goose', 'teeth': 'tooth', 'feet': 'foot',
    'dice': 'die', 'axes': 'axe', 'houses': 'house', 'vases': 'vase', 'cases': 'case',
    'buses': 'bus', 'gloves': 'glove', 'sleeves': 'sleeve', 'stoves': 'stove', 'olives': 'olive',
    'valves': 'valve', 'curves': 'curve', 'hives': 'hive', 'caves': 'cave', 'doves': 'dove',
    'knives': 'knife', 'wives': 'wife', 'lives': 'life', 'shoes': 'shoe', 'toes': 'toe',
    **{f'{w}s': w for w in 'cookie brownie pie tie veggie movie smoothie doggie sweetie bookie '
                           'cache headache toothache'.split()}}


def singular(word: str) -> tuple[str, bool]:
    """The word without its plural ending, and whether it had one."""
    if word in IRREGULAR:
        return IRREGULAR[word], True
    if len(word) < 4 or not word.endswith('s') or word.endswith(('ss', 'us')):
        return word, False
    if word.endswith('ies') and len(word) > 4:
        return f'{word[:-3]}y', True
    if word.endswith('ves'):
        return f'{word[:-3]}f', True
    if word.endswith(('xes', 'ches', 'shes', 'sses', 'zzes', 'oes')):
        return word[:-2], True
    return word[:-1], True


@lru_cache(maxsize=512)
def forms_of(name: str) -> frozenset[str]:
    """The words of a name, as they are and without a plural ending: scissors, scissor."""
    return frozenset(form for word in name_words(name) for form in (word, singular(word)[0]))


@lru_cache(maxsize=512)
def named(word: str) -> frozenset[str]:
    """The word, and the others that name the same thing."""
    return frozenset({word}).union(*(g for g in (*SAME_THING, *SHADES) if word in g))


def written(*words: str) -> frozenset[str]:
    """The words, and all plurals of them: the reverse of `forms_of`."""
    plurals = {plural for word in words for plural in (
        f'{word}s', f'{word}es', f'{word[:-1]}ies', f'{word[:-1]}ves', *IRREGULAR)
        if singular(plural)[0] == word}
    return frozenset({*words, *plurals})
