// The world in three dimensions: three.js draws the solids that the server names.

import { el } from './dom.js';
import { overlay, REACH_M } from './draw.js';

const { THREE } = window; // its package may be missing: then there are pictures
const EYE = [1.5, -1.15, 1.05]; // where one looks from at first, and at what (m, base frame)
const SEEN = [0.32, 0, 0.27];
const FAR_M = 40;
const NEAR_M = 0.75; // as far from the base things usually are
const MOST_TIMES = 2; // so much farther away one looks from, where things are far
const FRUSTUM_M = 0.3;
const M_PER_N = 0.003; // of a force's line
const PLANNED = 0x2f7be0;
const FRANKA = /^(panda|fr3)/; // only how far these reach is known
const TURN = 0.12; // rad for each press of an arrow key
const KEYS = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, -TURN],
  ArrowDown: [0, TURN] };
const ZOOMS = { '+': 0.85, '=': 0.85, '-': 1.18 };

function hasWebGL() {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2') || canvas.getContext('webgl');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return Boolean(context);
}

export const canDraw = Boolean(THREE) && hasWebGL();

const upright = (shape) => shape.rotateX(Math.PI / 2); // the axis of three.js is y

const SHAPES = {
  plane: ([x, y]) => new THREE.PlaneGeometry(2 * x || 8, 2 * y || 8),
  box: ([x, y, z]) => new THREE.BoxGeometry(2 * x, 2 * y, 2 * z),
  sphere: ([r]) => new THREE.SphereGeometry(r, 24, 16),
  ellipsoid: ([x, y, z]) => new THREE.SphereGeometry(1, 24, 16).scale(x, y, z),
  cylinder: ([r, half]) => upright(new THREE.CylinderGeometry(r, r, 2 * half, 32)),
  capsule: ([r, half]) => upright(new THREE.LatheGeometry([...Array(17).keys()].map((k) => {
    const turn = (k / 16 - 0.5) * Math.PI;
    return new THREE.Vector2(r * Math.cos(turn), r * Math.sin(turn) + Math.sign(k - 8) * half);
  }), 24)),
};

const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;

function meshShape({ corners, faces }) {
  const shape = new THREE.BufferGeometry();
  shape.setAttribute('position', new THREE.BufferAttribute(new Float32Array(bytes(corners)), 3));
  shape.setIndex(new THREE.BufferAttribute(new Uint32Array(bytes(faces)), 1));
  const flat = shape.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

function put(object, [x, y, z, qw, qx, qy, qz]) {
  object.position.set(x, y, z);
  object.quaternion.set(qx, qy, qz, qw);
}

// The solids of a world, in a group for each body that moves. `ghost`: the bodies of a copy that
// shows what is only planned, or what another run did, in that colour.
class Bodies {
  constructor({ solids, meshes, moving }, ghost, colour) {
    this.bodies = moving.map(() => new THREE.Group());
    this.all = new THREE.Group().add(...this.bodies);
    this.all.visible = false; // until it is known where they are
    const shapes = Object.fromEntries(Object.entries(meshes).map(([k, one]) => [k, meshShape(one)]));
    for (const solid of solids) {
      if (ghost && !ghost.has(solid.of)) continue;
      const [r, g, b, alpha] = solid.rgba;
      const made = new THREE.Mesh(shapes[solid.mesh] || SHAPES[solid.kind](solid.size),
        new THREE.MeshPhongMaterial(ghost ? { color: colour, transparent: true, opacity: 0.35 }
          : { color: new THREE.Color(r, g, b), transparent: alpha < 1, opacity: alpha,
            shininess: 20, side: solid.kind === 'plane' ? THREE.DoubleSide : THREE.FrontSide }));
      put(made, solid.pose);
      (solid.of === null ? this.all : this.bodies[solid.of]).add(made);
    }
  }

  at(poses, but = -1) {
    poses.forEach((pose, k) => k !== but && put(this.bodies[k], pose));
    this.all.visible = true;
  }

  free() {
    this.all.parent?.remove(this.all);
    this.all.traverse(({ geometry, material }) => { geometry?.dispose(); material?.dispose(); });
  }
}

const lines = (points, colour) => new THREE.LineSegments(
  new THREE.BufferGeometry().setFromPoints(points.map((point) => new THREE.Vector3(...point))),
  new THREE.LineBasicMaterial({ color: colour }));

// Other points for what was made with `lines`, or for points.
function redraw(object, points) {
  object.geometry.dispose();
  object.geometry.setAttribute('position', new THREE.Float32BufferAttribute(points.flat(), 3));
  object.geometry.computeBoundingSphere();
}

// The edges of a box; what must not be entered is also filled.
function zone({ name, centre, size }) {
  const shape = new THREE.BoxGeometry(...size);
  const isLimit = name === 'workspace';
  const made = new THREE.LineSegments(new THREE.EdgesGeometry(shape),
    new THREE.LineBasicMaterial({ color: isLimit ? 0x8aa0b8 : 0xd33a2c }));
  if (!isLimit) {
    made.add(new THREE.Mesh(shape, new THREE.MeshBasicMaterial({ color: 0xd33a2c,
      transparent: true, opacity: 0.18, depthWrite: false })));
  }
  made.position.set(...centre);
  return made;
}

// A hand at each grasp: two fingers, the palm and where it comes from, in the base frame.
function hands(ways) {
  return ways.flatMap(({ at: [x, y, z, qw, qx, qy, qz], opening }) => {
    const turn = new THREE.Quaternion(qx, qy, qz, qw);
    const point = (across, back) => new THREE.Vector3(0, across, back).applyQuaternion(turn)
      .add(new THREE.Vector3(x, y, z)).toArray();
    const half = opening / 2;
    return [point(half, 0.01), point(half, -0.04), point(-half, 0.01), point(-half, -0.04),
      point(half, -0.04), point(-half, -0.04), point(0, -0.04), point(0, -0.12)];
  });
}

// Lines around what a camera sees, from its projection P (3x4): pixels to rays.
function frustum({ projection: P, size: [width, height] }) {
  const inverse = new THREE.Matrix3().set(...P.flatMap((row) => row.slice(0, 3))).invert();
  const eye = new THREE.Vector3(...P.map((row) => -row[3])).applyMatrix3(inverse);
  const corners = [[0, 0], [width, 0], [width, height], [0, height]].map(([u, v]) =>
    new THREE.Vector3(u, v, 1).multiplyScalar(FRUSTUM_M).applyMatrix3(inverse).add(eye));
  return lines(corners.flatMap((corner, k) => [eye, corner, corner, corners[(k + 1) % 4]])
    .map((point) => point.toArray()), 0x3f8fe0);
}

export class Space {
  constructor(root) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.canvas = this.renderer.domElement;
    this.labels = el('div', {});
    root.append(this.canvas, this.labels);
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.02, FAR_M);
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(...EYE);
    this.turning = new THREE.OrbitControls(this.camera, this.canvas);
    this.turning.target.set(...SEEN);
    this.turning.addEventListener('change', () => this.draw());
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('aria-label', 'the scene in three dimensions; arrow keys turn it, + '
      + 'and - zoom');
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.touchable = () => []; // the names of what can be dragged
    this.canvas.addEventListener('pointerdown', (event) => this.take(event), true);
    this.scene = new THREE.Scene();
    const sun = new THREE.DirectionalLight(0xffffff, 0.55);
    sun.position.set(0.6, -1, 2);
    const reach = lines([...Array(64).keys()].flatMap((k) => [k, k + 1].map((one) =>
      [REACH_M * Math.cos(one * Math.PI / 32), REACH_M * Math.sin(one * Math.PI / 32), 0.002])),
    0x3f8fe0);
    this.touches = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({
      color: 0xffd000, size: 8, sizeAttenuation: false, depthTest: false }));
    this.forces = lines([], 0xff7a00);
    this.forces.material.depthTest = false;
    this.limits = new THREE.Group().add(reach);
    this.ways = new THREE.Group();
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8a84, 0.65), sun, this.touches,
      this.forces, this.limits, this.ways);
    new ResizeObserver(() => this.fit(root)).observe(root);
    this.fit(root);
  }

  fit(root) {
    const { clientWidth: width, clientHeight: height } = root;
    if (!width || !height) return;
    this.size = [width, height];
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  // The solids of another world.
  world(solids) {
    this.solids = solids;
    this.bodies?.free();
    this.bodies = new Bodies(solids);
    this.scene.add(this.bodies.all);
    this.limits.remove(...this.limits.children.slice(1));
    this.limits.children[0].visible = solids.moving.some((name) => FRANKA.test(name));
    this.limits.add(...(solids.zones || []).map(zone));
    this.handed = this.poses = null;
  }

  // Which layers are seen, by their names.
  layers({ perceived, forces, limits, grasps }) {
    this.isPerceived = perceived;
    this.touches.visible = this.forces.visible = forces;
    this.limits.visible = limits;
    this.ways.visible = grasps;
    this.draw();
  }

  // The grasps that there are for a thing; the one that was taken is green.
  grasps(ways) {
    this.ways.children.forEach((one) => one.geometry.dispose());
    this.ways.clear();
    this.ways.add(lines(hands(ways.filter(({ taken }) => !taken)), 0x6a7380),
      lines(hands(ways.filter(({ taken }) => taken)), 0x00c853));
    this.ways.children.forEach((one) => { // in front of the ghost
      one.material.depthTest = false;
      one.renderOrder = 1;
    });
    this.draw();
  }

  // Far enough away that all things are seen.
  fitTo(poses) {
    const far = this.solids.things.map((name) => poses[this.solids.moving.indexOf(name)])
      .reduce((most, [x, y]) => Math.max(most, Math.hypot(x, y)), NEAR_M) / NEAR_M;
    this.turning.target.set(...SEEN.map((v) => v * Math.min(far, MOST_TIMES)));
    this.camera.position.set(...EYE.map((v) => v * Math.min(far, MOST_TIMES)));
    this.turning.update();
  }

  // Gives back what it draws with: a browser has only a few of that.
  free() {
    this.bodies?.free();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.remove();
    this.labels.remove();
  }

  // Where the arm and what it carries will be, or were in another run; null: nothing is planned.
  planned(motion, colour = PLANNED) {
    this.ghost?.free();
    this.ghost = null;
    if (motion) {
      const moved = motion.samples.slice(1).flatMap((one) => Object.keys(one.moved).map(Number));
      this.ghost = new Bodies(motion.solids, new Set([...motion.solids.arm, ...moved]), colour);
      this.scene.add(this.ghost.all);
    }
    this.draw();
  }

  plannedAt(poses) {
    this.ghost?.at(poses);
    this.draw();
  }

  // Where the bodies are now.
  at({ poses, touches = [] }) {
    if (!this.poses) this.fitTo(poses);
    this.poses = poses;
    this.bodies.at(poses, this.taken);
    redraw(this.touches, touches.map((one) => one.slice(0, 3)));
    redraw(this.forces, touches.flatMap(([x, y, z, fx, fy, fz]) => [[x, y, z],
      [x + M_PER_N * fx, y + M_PER_N * fy, z + M_PER_N * fz]]));
    const hand = this.solids.moving.findIndex((name) => name.endsWith('hand'));
    if (this.follow && hand >= 0) this.goWith(new THREE.Vector3(...poses[hand]));
    else this.handed = null;
    this.draw();
  }

  goWith(hand) {
    const by = hand.clone().sub(this.handed || this.turning.target);
    this.handed = hand;
    this.camera.position.add(by);
    this.turning.target.add(by);
    this.turning.update();
  }

  // Where a thing is (m, base frame); null: not known.
  placeOf(name) {
    return this.poses?.[this.solids.moving.indexOf(name)]?.slice(0, 3) || null;
  }

  // A ray from the eye through the pointer.
  ray(event) {
    const box = this.canvas.getBoundingClientRect();
    const caster = new THREE.Raycaster();
    caster.setFromCamera({ x: (2 * (event.clientX - box.left)) / box.width - 1,
      y: 1 - (2 * (event.clientY - box.top)) / box.height }, this.camera);
    return caster;
  }

  // A thing below the pointer goes with it, at its height, until it is let go.
  take(event) {
    const names = this.touchable();
    const [hit] = names.length ? this.ray(event).intersectObject(this.bodies.all, true) : [];
    const k = hit ? this.bodies.bodies.indexOf(hit.object.parent) : -1;
    const name = this.solids?.moving[k];
    if (!names.includes(name)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.taken = k;
    const body = this.bodies.bodies[k];
    const plane = new THREE.Plane(this.camera.up, -hit.point.z);
    const offset = body.position.clone().sub(hit.point);
    const move = (now) => {
      const place = this.ray(now).ray.intersectPlane(plane, new THREE.Vector3());
      if (place) body.position.copy(place.add(offset));
      this.draw();
    };
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.addEventListener('pointermove', move);
    this.canvas.addEventListener('lostpointercapture', async () => {
      this.canvas.removeEventListener('pointermove', move);
      try {
        await this.dropped(name, body.position.x, body.position.y);
      } finally { // it is where the world has it, also after a refusal
        this.taken = -1;
        this.bodies.at(this.poses);
        this.draw();
      }
    }, { once: true });
  }

  // What was perceived, over it; and the camera that saw it.
  show(now, camera) {
    this.now = now;
    const P = camera?.projection ? JSON.stringify(camera) : '';
    if (P !== this.seenFrom) {
      this.seenFrom = P;
      if (this.eye) this.scene.remove(this.eye);
      this.eye = P ? frustum(camera) : null;
      if (this.eye) this.scene.add(this.eye);
    }
    this.draw();
  }

  key(event) {
    const turn = KEYS[event.key];
    const zoom = ZOOMS[event.key];
    if (!turn && !zoom) return;
    event.preventDefault();
    const { position } = this.camera;
    const away = position.clone().sub(this.turning.target).applyQuaternion(
      new THREE.Quaternion().setFromUnitVectors(this.camera.up, new THREE.Vector3(0, 1, 0)));
    const around = new THREE.Spherical().setFromVector3(away);
    around.theta += turn?.[0] || 0;
    around.phi = Math.min(Math.max(around.phi + (turn?.[1] || 0), 0.05), Math.PI - 0.05);
    around.radius *= zoom || 1;
    position.setFromSpherical(around).applyQuaternion(new THREE.Quaternion().setFromUnitVectors(
      new THREE.Vector3(0, 1, 0), this.camera.up)).add(this.turning.target);
    this.turning.update();
    this.draw();
  }

  // With the next frame of the browser, and only if something has changed.
  draw() {
    if (this.due || !this.size) return;
    this.due = requestAnimationFrame(() => {
      this.due = 0;
      if (!this.canvas.offsetParent) return; // nobody sees it
      this.renderer.render(this.scene, this.camera);
      const zones = this.limits.visible ? this.solids?.zones || [] : [];
      this.labels.replaceChildren(...(this.now ? [overlay(this.isPerceived ? this.now
        : { ...this.now, scene: null }, { projection: this.projection(), size: this.size },
      'the scene in three dimensions', zones.filter(({ name }) => name !== 'workspace').map(
        ({ name, centre }) => ({ at: centre, text: name })))] : []));
    });
  }

  // 3x4: from points of the base frame to pixels.
  projection() {
    const [width, height] = this.size;
    const { elements } = new THREE.Matrix4().multiplyMatrices(this.camera.projectionMatrix,
      this.camera.matrixWorldInverse);
    const [x, y, w] = [0, 1, 3].map((row) => [0, 1, 2, 3].map((k) => elements[4 * k + row]));
    return [x.map((v, k) => (width / 2) * (w[k] + v)), y.map((v, k) => (height / 2) * (w[k] - v)),
      w];
  }
}
