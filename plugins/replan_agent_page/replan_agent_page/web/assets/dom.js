// Elements. Text is always a text node: nothing from the world is ever read as HTML.

const SVG = 'http://www.w3.org/2000/svg';
const LONGEST = 50000; // characters of one text; a browser hangs with millions

export const clipped = (text, most) => (text.length <= most ? text
  : `${text.slice(0, most)} … (${text.length - most} more characters)`);

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined
    && child !== false && child !== '')
    .map((child) => (typeof child === 'string' ? clipped(child, LONGEST) : child)));
  return node;
}

export const el = (tag, attributes = {}, ...children) =>
  filled(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, tag), attributes, children);

export const byId = (id) => document.getElementById(id);

export function say(text) {
  byId('alert').textContent = text;
}

export function number(value, digits = 3) {
  if (typeof value !== 'number') return shown(value);
  return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(digits)));
}

// Any value in short: numbers rounded, a list with commas, nested values as JSON.
export function shown(value) {
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return 'not set';
  if (Array.isArray(value) && value.every((one) => ['number', 'string'].includes(typeof one))) {
    return value.map((one) => (typeof one === 'number' ? number(one, 4) : one)).join(', ');
  }
  return JSON.stringify(value, (_, v) => (typeof v === 'number' ? Number(v.toFixed(4)) : v));
}

// A name of the data as people read it.
export const words = (name) => String(name).replaceAll('_', ' ');

export const call = (step) => step.call || step.skill;
