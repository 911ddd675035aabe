// The conversation: what was said, what was answered, and what can be said now.

import { byId, el, words } from './dom.js';

const NEXT = { failed: ['why did you stop?', 'try again'], done: ['undo that'] };

// Shows what was said. A click on a suggestion says it at once, or writes it into the field.
export function showTalk({ talk = [], world, running, stopped }, say) {
  const last = talk.at(-1);
  const isFree = !running && !stopped;
  byId('talk').replaceChildren(...talk.flatMap(({ said, reply, ended }) => [
    el('p', { class: 'said' }, said),
    reply ? el('p', { class: 'reply' }, reply) : !ended && el('p', { class: 'reply' }, '…')])
    .filter(Boolean));
  byId('talk').scrollTop = byId('talk').scrollHeight;
  const answers = (world.things || []).filter((name) => last?.asks && last.reply.includes(name));
  const next = last?.asks ? answers.map((name) => `the ${words(name)}`)
    : NEXT[{ true: 'done', false: 'failed' }[last?.success]] || [];
  const button = (text, isExample) => el('button', { type: 'button',
    onclick: () => say(text, isExample) }, text);
  byId('next').replaceChildren(...(isFree ? [...next.map((text) => button(text, false)),
    ...(last?.asks ? [] : world.examples || []).map((text) => button(text, true))] : []));
  byId('task-form').querySelector('button').textContent = last?.asks && !running ? 'Answer'
    : 'Start';
}
