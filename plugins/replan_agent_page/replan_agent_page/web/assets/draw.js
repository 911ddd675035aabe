// The scene drawn into the camera's picture, and seen from above.

import { svg, number } from './dom.js';

const CORNERS = [-0.5, 0.5].flatMap((x) => [-0.5, 0.5].flatMap((y) =>
  [-0.5, 0.5].map((z) => [x, y, z])));
const EDGES = CORNERS.flatMap((a, i) => CORNERS.map((b, j) => [i, j]).filter(([, j]) => j > i
  && a.filter((v, k) => v !== CORNERS[j][k]).length === 1));
export const REACH_M = 0.855;
const MOST_THINGS = 300; // that are drawn, and how many names find a place
const MOST_NAMES = 60;
const FARTHEST_M = 20;
const TRIES = 40; // to find a free place for a name
const ROUND = ['cylinder', 'sphere', 'bowl'];

function rotated([w, x, y, z], [a, b, c]) {
  const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz,
    c + w * tz + x * ty - y * tx];
}

const RING = [...Array(25).keys()].map((k) => [Math.cos(k * Math.PI / 12) / 2,
  Math.sin(k * Math.PI / 12) / 2]);

// Lines around a thing (m, base frame): the edges of its box, or rings if it is round.
function outline(thing) {
  const { position, quaternion_wxyz: turn } = thing.pose;
  const moved = (point) => rotated(turn, point.map((v, k) => v * thing.size[k]))
    .map((v, k) => v + position[k]);
  if (!ROUND.includes(thing.shape)) {
    return EDGES.map(([i, j]) => [moved(CORNERS[i]), moved(CORNERS[j])]);
  }
  const heights = thing.shape === 'sphere' ? [0] : [-0.5, 0.5];
  return heights.flatMap((z) => RING.slice(1).map(([x, y], k) => [
    moved([RING[k][0], RING[k][1], z]), moved([x, y, z])]));
}

// Pixels of a point (m, base frame); null behind the camera.
function projected(P, [x, y, z]) {
  const [u, v, depth] = P.map((row) => row[0] * x + row[1] * y + row[2] * z + row[3]);
  return depth > 0.01 ? [u / depth, v / depth] : null;
}

// Lines, in pixels or in metres.
const path = (points, attributes) => svg('path', { ...attributes,
  d: points.map(([a, b]) => `M${a[0].toFixed(3)} ${a[1].toFixed(3)}`
    + `L${b[0].toFixed(3)} ${b[1].toFixed(3)}`).join('') });

function label(at, text, kind) {
  return svg('text', { x: at[0], y: at[1], class: kind, 'text-anchor': 'middle' }, text);
}

// The things of a scene that can be drawn.
function drawable(now) {
  return (now.scene?.objects || []).filter((thing) => [...thing.pose.position, ...thing.size]
    .every((value) => Math.abs(value) < FARTHEST_M)).slice(0, MOST_THINGS);
}

// Words beside their things, inside the picture, that cover neither things nor each other: where
// all sides are taken, higher up and with a line. `size` is a letter's height.
function names(found, size, left, right) {
  const taken = found.map(({ middle: [x, y], half: [w, h] }) => [x, y, w, h]);
  return found.slice(0, MOST_NAMES).map(({ middle: [x, y], half: [wide, tall], text, kind = 'name' }) => {
    const half = 0.32 * size * text.length;
    const inside = (u) => Math.max(left + half, Math.min(right - half, u));
    const beside = wide + half + 0.3 * size;
    const places = [[inside(x), y - tall - 0.7 * size], [inside(x), y + tall + 0.7 * size],
      [inside(x + beside), y], [inside(x - beside), y]];
    for (let k = 1; k < TRIES; k += 1) places.push([inside(x), places[0][1] - 0.3 * k * size]);
    const isFree = (at) => !taken.some(([u, v, w, h]) => Math.abs(u - at[0]) < w + half
      && Math.abs(v - at[1]) < h + 0.6 * size);
    const free = places.findIndex(isFree);
    const at = places[Math.max(free, 0)];
    taken.push([...at, half, 0.6 * size]);
    return [free > 3 && path([[[at[0], at[1] + 0.5 * size], [x, y]]], { class: 'lead' }),
      label([at[0], at[1] + 0.35 * size], text, kind)];
  });
}

// What is said at the marks of a failure.
function markNames(marks, place, size) {
  const away = marks.target && marks.nearest
    && Math.hypot(...marks.target.map((v, k) => v - marks.nearest[k]));
  return [['nearest', 'nearest reachable'],
    ['target', `failed target${away ? `, ${number(away)} m away` : ''}`]].flatMap(([key, text]) => {
    const middle = marks[key] && place(marks[key]);
    return middle ? [{ middle, half: [size, size], text, kind: `${key}-name` }] : [];
  });
}

function drawnMarks(marks, place, size) {
  const target = marks.target && place(marks.target);
  const nearest = marks.nearest && place(marks.nearest);
  const cross = ([x, y], r) => [[[x - r, y - r], [x + r, y + r]], [[x - r, y + r], [x + r, y - r]]];
  return [
    target && nearest && path([[target, nearest]], { class: 'away' }),
    nearest && svg('circle', { cx: nearest[0], cy: nearest[1], r: size, class: 'nearest' }),
    target && path(cross(target, size), { class: 'halo' }),
    target && path(cross(target, size), { class: 'target' }),
  ];
}

// The overlay of a picture of that size. `words`: more places (m, base frame) and what is said there.
export function overlay(now, camera, what = 'the camera\'s picture', words = []) {
  const [width, height] = camera.size;
  const place = (point) => projected(camera.projection, point);
  const things = drawable(now).filter((thing) => thing.shape !== 'table');
  const named = [];
  const boxes = things.map((thing) => {
    const lines = outline(thing).map((line) => line.map(place));
    if (lines.flat().some((point) => !point)) return null;
    const [us, vs] = [0, 1].map((k) => lines.flat().map((point) => point[k]));
    const span = (values) => Math.max(...values) - Math.min(...values);
    named.push({ middle: [us, vs].map((values) => Math.min(...values) + span(values) / 2),
      half: [span(us) / 2, span(vs) / 2],
      text: thing.name + (thing.name === now.scene.held ? ' (held)' : '') });
    return path(lines, { class: thing.confidence < 0.75 ? 'box doubtful' : 'box' });
  });
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `${what} with ${named.length} named objects` },
  boxes, names([...named, ...markNames(now.marks, place, 7), ...words.flatMap(({ at, text }) => {
    const middle = place(at);
    return middle ? [{ middle, half: [0, 0], text, kind: 'zone-name' }] : [];
  })], 12, 0, width), drawnMarks(now.marks, place, 7));
}

// The table from above: x goes up, y to the left, in metres.
export function map(now) {
  const place = ([x, y]) => [-y, -x];
  const things = drawable(now).sort((a, b) =>
    a.pose.position[2] - b.pose.position[2]);
  const drawn = things.map((thing) => {
    const [u, v] = place(thing.pose.position);
    const kind = `thing ${thing.shape === 'table' ? 'table' : thing.colour || ''}`;
    if (ROUND.includes(thing.shape)) {
      return svg('circle', { cx: u, cy: v, r: thing.size[0] / 2, class: kind });
    }
    const [w, x, y, z] = thing.pose.quaternion_wxyz;
    const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) * 180 / Math.PI;
    return svg('rect', { x: u - thing.size[1] / 2, y: v - thing.size[0] / 2,
      width: thing.size[1], height: thing.size[0], class: kind,
      transform: `rotate(${-yaw} ${u} ${v})` });
  });
  const named = things.filter((thing) => thing.shape !== 'table').map((thing) => {
    const half = ROUND.includes(thing.shape) ? thing.size[0] / 2
      : Math.hypot(thing.size[0], thing.size[1]) / 2;
    return { middle: place(thing.pose.position), half: [half, half], text: thing.name };
  });
  const away = (k, sign) => named.map(({ middle }) => sign * middle[k] + 0.15);
  const far = Math.max(0.9, ...away(1, -1));
  const near = Math.max(0.12, ...away(1, 1));
  const side = Math.max(0.62, ...away(0, 1), ...away(0, -1));
  return svg('svg', { viewBox: `${-side} ${-far} ${2 * side} ${far + near}`, role: 'img',
    'aria-label': `the table from above with ${named.length} objects` },
  drawn, svg('circle', { cx: 0, cy: 0, r: REACH_M, class: 'reach' }),
  svg('circle', { cx: 0, cy: 0, r: 0.06, class: 'base' }), names([...named, ...markNames(now.marks, place, 0.022)], 0.036, -side, side),
  drawnMarks(now.marks, place, 0.022));
}
