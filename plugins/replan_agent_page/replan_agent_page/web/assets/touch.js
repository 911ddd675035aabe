// A person's hands in the simulated world: things are dragged in the view, or moved with buttons.

import { el, words } from './dom.js';
import { canDraw } from './space.js';

const STEP_M = 0.05;
const FREE = [0.5, 0]; // where a thing is added (m, base frame)
const TURN = Math.PI / 4;
const MOVES = [['away from the base', '↑', [STEP_M, 0]], ['to the base', '↓', [-STEP_M, 0]],
  ['left', '←', [0, STEP_M]], ['right', '→', [0, -STEP_M]]]; // as the arm sees it
const PUSHES = [['away', 0], ['to the base', Math.PI], ['left', Math.PI / 2],
  ['right', -Math.PI / 2]];

export class Touch {
  // `send(what)` asks the server, and gives its answer or null.
  constructor(view, send) {
    this.view = view;
    this.send = send;
    this.thing = el('select', { 'aria-label': 'thing' });
    this.way = el('select', { 'aria-label': 'direction' },
      PUSHES.map(([name, angle]) => el('option', { value: angle }, name)));
    this.drags = el('input', { type: 'checkbox' });
    this.said = el('p', { class: 'faint', role: 'status' });
    const button = (name, act, sign) => el('button', { type: 'button', onclick: act,
      'aria-label': sign && `move ${name}` }, sign || name);
    this.root = el('details', { class: 'touch', hidden: true }, el('summary', {},
      'Touch the world (simulation)'),
    el('form', { 'aria-label': 'Touch the world' }, el('label', {}, this.drags,
      ' drag things in the view'), this.thing,
    MOVES.map(([name, sign, by]) => button(name, () => this.shift(by), sign)),
    button('Turn', () => this.act('turn', { angle: TURN })),
    button('Push', () => this.act('push', { angle: Number(this.way.value) })), this.way,
    button('Take away', () => this.act('remove', {})),
    el('span', { class: 'adds' }, this.more = el('select', { 'aria-label': 'thing to add' }),
      button('Add', () => this.add()))), this.said);
    view.seen.append(this.root);
  }

  show(things = [], more = []) {
    if (this.more.length !== more.length) {
      this.more.replaceChildren(...more.map((name) => el('option', { value: name },
        words(name))));
    }
    this.root.hidden = !things.length || !canDraw;
    const shown = JSON.stringify(things);
    if (shown !== this.shown) {
      this.shown = shown;
      this.thing.replaceChildren(...things.map((name) => el('option', { value: name },
        words(name))));
    }
    this.view.handsOn({ touchable: () => (this.drags.checked ? things : []),
      dropped: (thing, x, y) => {
        this.thing.value = thing;
        return this.act('move', { x, y });
      } });
  }

  shift([dx, dy]) {
    const at = this.view.space?.placeOf(this.thing.value);
    if (at) this.act('move', { x: at[0] + dx, y: at[1] + dy });
  }

  // In front of the arm; from there it can be dragged.
  add() { return this.act('add', { thing: this.more.value, x: FREE[0], y: FREE[1] }); }

  async act(what, more) {
    const answer = await this.send({ do: what, thing: this.thing.value, ...more });
    this.said.textContent = answer ? `${answer.said}.` : '';
  }
}
