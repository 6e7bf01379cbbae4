"use strict";
// Draws the scene of this page with WebGL 2; drag turns, shift or right drag moves, the wheel zooms, space plays and stops.

const scene = JSON.parse(document.getElementById("data").textContent);
const element = id => document.getElementById(id);
const canvas = element("view"), slider = element("slider");
const gl = canvas.getContext("webgl2", {antialias: true, preserveDrawingBuffer: true});

function bytes(text) { return Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer; }
const floats = text => new Float32Array(bytes(text)), numbers = text => new Uint32Array(bytes(text));

// --- vectors -------------------------------------------------------------------------------------------------------

const sub = (a, b) => a.map((x, i) => x - b[i]), add = (a, b, s = 1) => a.map((x, i) => x + s * b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2], length = a => Math.sqrt(dot(a, a));
const unit = a => { const n = length(a) || 1; return a.map(x => x / n); };
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const mix = (a, b, s) => a.map((x, i) => x + s * (b[i] - x));

function turned(v, axis, angle) {
  const c = Math.cos(angle), s = Math.sin(angle), k = dot(axis, v) * (1 - c), w = cross(axis, v);
  return v.map((x, i) => x * c + w[i] * s + axis[i] * k);
}

// columns of a 4 x 4 matrix that places a body: position and quaternion w, x, y, z
function placed(p, [w, x, y, z]) {
  const n = Math.hypot(w, x, y, z) || 1; w /= n; x /= n; y /= n; z /= n;
  return [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
          2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
          2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0, p[0], p[1], p[2], 1];
}

// columns of a 4 x 4 matrix whose z points from one place to another
function along(start, end) {
  const z = unit(sub(end, start)), x = unit(cross(Math.abs(z[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0], z)), y = cross(z, x);
  return [...x, 0, ...y, 0, ...z, 0, ...start, 1];
}

// --- what the graphics card gets -----------------------------------------------------------------------------------

const VERTEX = `#version 300 es
in vec4 corner; in vec3 normal;
uniform mat4 body, view; uniform vec2 scale; uniform float eye, reach, stretch;
out vec3 n, where;
void main() {
  vec3 local = stretch > 0.0 ? vec3(corner.xy, corner.z * stretch + corner.w) : corner.xyz;
  vec3 p = (view * body * vec4(local, 1.0)).xyz;
  n = mat3(view) * mat3(body) * normal; where = p;
  float w = (eye - p.z) / eye;
  gl_Position = vec4(p.xy * scale, -p.z / (8.0 * reach) * w, w);
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec3 n, where; uniform vec3 colour; uniform int look; out vec4 shown;
void main() {
  if (look == 0) { shown = vec4(colour, 1.0); return; }
  vec3 m = normalize(look == 1 ? n : cross(dFdx(where), dFdy(where)));
  if (m.z < 0.0) m = -m;
  vec3 key = normalize(vec3(-0.35, 0.55, 0.76)), fill = normalize(vec3(0.75, -0.15, 0.64));
  float light = 0.30 + 0.62 * max(dot(m, key), 0.0) + 0.22 * max(dot(m, fill), 0.0);
  float glint = 0.16 * pow(max(dot(m, normalize(key + vec3(0, 0, 1))), 0.0), 24.0);
  shown = vec4(min(colour * light + glint, 1.0), 1.0);
}`;

function program() {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text); gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.bindAttribLocation(made, 0, "corner"); gl.bindAttribLocation(made, 1, "normal");
  gl.linkProgram(made); gl.useProgram(made);
  const at = {};
  for (const name of ["body", "view", "scale", "eye", "reach", "stretch", "colour", "look"]) at[name] = gl.getUniformLocation(made, name);
  return at;
}

function buffer(attribute, size, values, usage) {
  const made = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, made); gl.bufferData(gl.ARRAY_BUFFER, values, usage);
  gl.enableVertexAttribArray(attribute); gl.vertexAttribPointer(attribute, size, gl.FLOAT, false, 0, 0);
  return made;
}

function mesh(corners, size, normals) {
  const array = gl.createVertexArray(); gl.bindVertexArray(array);
  buffer(0, size, corners, gl.STATIC_DRAW);
  if (normals) buffer(1, 3, normals, gl.STATIC_DRAW);
  return {array, count: corners.length / size};
}

function deforming(skin) {
  const array = gl.createVertexArray(); gl.bindVertexArray(array);
  const vertices = floats(skin.vertices), faces = numbers(skin.faces);
  const moved = buffer(0, 3, vertices.subarray(0, 3 * skin.count), gl.DYNAMIC_DRAW);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
  return {array, vertices, moved, count: faces.length, size: 3 * skin.count, now: new Float32Array(3 * skin.count), colour: skin.colour};
}

if (!gl) {
  element("time").textContent = "this browser has no WebGL 2";
  throw new Error("this browser has no WebGL 2");
}
const at = program();
const t = floats(scene.t), poses = floats(scene.poses), target = floats(scene.target);
const solids = scene.solids.map(s => ({...s, ...mesh(floats(s.corners), 3, floats(s.normals))}));
const links = scene.links.map(s => ({...s, ...mesh(floats(s.corners), 4, floats(s.normals)), ends: floats(s.ends)}));
const lines = scene.lines.map(s => ({...s, ...mesh(floats(s.points), 3)}));
const skins = scene.skins.map(deforming);
gl.bindVertexArray(null);
gl.enable(gl.DEPTH_TEST);

// --- the camera ----------------------------------------------------------------------------------------------------

const camera = {};
function home() { Object.assign(camera, {look: scene.look, zoom: 1, shift: [0, 0, 0]}); }
function axes() {
  const z = camera.look.map(x => -x), x = unit(cross(scene.up, z));
  return [x, cross(z, x), z];
}
function turn(right, down) {
  let look = turned(camera.look, scene.up, -right);
  const x = unit(cross(scene.up, look.map(v => -v))), tilted = turned(look, x, -down);
  if (Math.abs(dot(tilted, scene.up)) < 0.999) look = tilted;
  camera.look = look;
}
home();

// --- a frame -------------------------------------------------------------------------------------------------------

let now = 0, playing = scene.frames > 1, last = null, stale = true;

function between(time) {
  let low = 0, high = t.length - 1;
  while (high - low > 1) { const middle = (low + high) >> 1; if (t[middle] <= time) low = middle; else high = middle; }
  return [low, high, t[high] > t[low] ? (time - t[low]) / (t[high] - t[low]) : 0];
}
const row = (values, size, k) => Array.from(values.subarray(size * k, size * k + size));

function poseOf(body, [a, b, s]) {
  const n = scene.bodies.length, from = row(poses, 7, a * n + body), to = row(poses, 7, b * n + body);
  const sign = from.slice(3).reduce((sum, x, i) => sum + x * to[3 + i], 0) < 0 ? -1 : 1;
  return placed(mix(from.slice(0, 3), to.slice(0, 3), s), from.slice(3).map((x, i) => x + s * (sign * to[3 + i] - x)));
}

const STILL = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
function put(item, matrix, look, stretch = 0) {
  gl.uniformMatrix4fv(at.body, false, matrix); gl.uniform3fv(at.colour, item.colour);
  gl.uniform1i(at.look, look); gl.uniform1f(at.stretch, stretch);
  gl.bindVertexArray(item.array);
}

function draw() {
  const ratio = window.devicePixelRatio || 1, width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  gl.viewport(0, 0, width, height);
  gl.clearColor(0.95, 0.965, 0.98, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  const frame = between(now), [a, b, s] = frame, [x, y, z] = axes();
  const middle = add(mix(row(target, 3, a), row(target, 3, b), s), camera.shift);
  const view = [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, middle), -dot(y, middle), -dot(z, middle), 1];
  const pixels = camera.zoom * Math.min(width / scene.reach[0], height / scene.reach[1]);
  gl.uniformMatrix4fv(at.view, false, view); gl.uniform2f(at.scale, pixels / width, pixels / height);
  gl.uniform1f(at.eye, scene.far * scene.half); gl.uniform1f(at.reach, scene.half);
  for (const line of lines) { put(line, STILL, 0); gl.drawArrays(gl.LINES, 0, line.count); }
  const placedBodies = new Map();
  for (const solid of solids) {
    if (!placedBodies.has(solid.body)) placedBodies.set(solid.body, poseOf(solid.body, frame));
    put(solid, placedBodies.get(solid.body), 1); gl.drawArrays(gl.TRIANGLES, 0, solid.count);
  }
  for (const link of links) {
    const ends = mix(row(link.ends, 6, a), row(link.ends, 6, b), s), start = ends.slice(0, 3), end = ends.slice(3), long = length(sub(end, start));
    if (long > 0) { put(link, along(start, end), 1, long); gl.drawArrays(gl.TRIANGLES, 0, link.count); }
  }
  for (const skin of skins) {
    const from = skin.size * a, to = skin.size * b;
    for (let i = 0; i < skin.size; i++) skin.now[i] = skin.vertices[from + i] + s * (skin.vertices[to + i] - skin.vertices[from + i]);
    put(skin, STILL, 2);
    gl.bindBuffer(gl.ARRAY_BUFFER, skin.moved); gl.bufferSubData(gl.ARRAY_BUFFER, 0, skin.now);
    gl.drawElements(gl.TRIANGLES, skin.count, gl.UNSIGNED_INT, 0);
  }
  element("time").textContent = `t = ${now.toFixed(3)} s`;
}

function tick(clock) {
  if (playing && last !== null) {
    now += (clock - last) / 1000 * Number(element("speed").value);
    if (now > t[t.length - 1]) now = t[0];
    slider.value = now; stale = true;
  }
  last = clock;
  if (stale) { stale = false; draw(); }
  requestAnimationFrame(tick);
}

// --- what the user does --------------------------------------------------------------------------------------------

function play(wanted) { playing = wanted && scene.frames > 1; element("play").textContent = playing ? "Pause" : "Play"; }
element("play").onclick = () => play(!playing);
element("home").onclick = () => { home(); stale = true; };
slider.oninput = () => { play(false); now = Number(slider.value); stale = true; };
window.onresize = () => { stale = true; };
document.onkeydown = event => {
  if (event.target === slider || event.target.tagName === "SELECT" || event.target.tagName === "BUTTON") return;
  if (event.key === " ") { play(!playing); event.preventDefault(); }
};
for (const factor of [0.1, 0.25, 0.5, 1, 2, 4]) {
  const speed = scene.speed * factor;
  element("speed").add(new Option(`× ${Number(speed.toPrecision(3))}`, speed, factor === 1, factor === 1));
}
let held = null;
canvas.onpointerdown = event => {
  held = {x: event.clientX, y: event.clientY, moves: event.shiftKey || event.button > 0};
  canvas.setPointerCapture(event.pointerId);
};
canvas.onpointermove = event => {
  if (!held) return;
  const dx = event.clientX - held.x, dy = event.clientY - held.y;
  held.x = event.clientX; held.y = event.clientY; stale = true;
  if (!held.moves) { turn(dx * 0.008, dy * 0.008); return; }
  const [x, y] = axes(), metres = 2 / (camera.zoom * Math.min(canvas.clientWidth / scene.reach[0], canvas.clientHeight / scene.reach[1]));
  camera.shift = add(add(camera.shift, x, -dx * metres), y, dy * metres);
};
canvas.onpointerup = canvas.onpointercancel = () => { held = null; };
canvas.oncontextmenu = event => event.preventDefault();
canvas.addEventListener("wheel", event => {
  camera.zoom = Math.min(50, Math.max(0.05, camera.zoom * Math.exp(-event.deltaY * 0.001))); stale = true; event.preventDefault();
}, {passive: false});

if (t.length) {
  now = t[0]; slider.min = t[0]; slider.max = t[t.length - 1]; slider.value = now;
  play(true); requestAnimationFrame(tick);
}
