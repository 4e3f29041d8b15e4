// What everything else uses: elements, numbers for people, events of the page.
// Text from the data only ever becomes text nodes and attribute values.

const $ = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, call] of Object.entries(value)) element.addEventListener(event, call);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

const make = (tag, attributes, ...children) =>
  dress(document.createElement(tag), attributes, children);

const draw = (tag, attributes, ...children) =>
  dress(document.createElementNS(SVG, tag), attributes, children);

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function bytes(number) {
  if (number === null || number === undefined) return "unknown";
  let size = number;
  let unit = 0;
  while (Math.abs(size) >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return `${size.toFixed(digits)} ${UNITS[unit]}`;
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

const plural = (count, word) => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;

function clip(text, most) {
  if (text.length <= most) return text;
  const tail = Math.floor(most / 4);
  return `${text.slice(0, most - tail)}\u2026${text.slice(-tail)}`;
}

// The page has one set of events; parts tell each other what happened and no more.
const calls = new Map();

function when(event, call) {
  if (!calls.has(event)) calls.set(event, []);
  calls.get(event).push(call);
}

function tell(event, ...values) {
  for (const call of calls.get(event) || []) call(...values);
}

// Many changes before the next frame are one.
function atNextFrame(call) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      call();
    });
  };
}

const narrow = window.matchMedia("(max-width: 820px)");

// What the page shows at the moment.
const page = {
  about: JSON.parse($("about").textContent),
  at: -1,
  sides: [],
  diff: null,
  side: 0,
  block: -1,
  fullNames: false,
  lit: null,
  pinned: false,
  folded: new Set(),
};
