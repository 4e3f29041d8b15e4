// Memory over the statements of a function: the curve, what pieces need by themselves, and
// a lane for each value around what is in sight. Without sizes, values are counted.

const CURVE = 84;
const STRIP = 22;
const LANE = 16;
const LABEL = 190;
const LEAST = 48;
const KINDS = ["parameter", "input", "value"];

const chart = {
  symbols: new Map(),
  curves: [],
  shown: null,

  open() {
    chart.symbols = new Map();
    for (const there of page.sides) {
      for (const [name, hint, low] of there.data.timeline ? there.data.timeline.symbols : []) {
        if (!chart.symbols.has(name)) chart.symbols.set(name, hint ?? Math.max(low, 1));
      }
    }
    for (const there of page.sides) {
      const functions = there.data.timeline ? there.data.timeline.functions : [];
      there.timelines = new Map(functions.map((one, at) => [one.name, at]));
      there.lanes = new Map();
    }
    chart.compute();
    chart.sliders();
  },

  compute() {
    chart.curves = page.sides.map((there) =>
      there.data.timeline ? new Curves(there.data.timeline, chart.symbols) : null,
    );
  },

  // The timeline and the curve of the function that a block is in.
  of(index, block) {
    const there = page.sides[index];
    let fn = there.blocks.function[block];
    if (fn === undefined || fn < 0) fn = there.data.entry;
    if (fn < 0 || !chart.curves[index]) return null;
    const at = there.timelines.get(there.functionName(fn));
    if (at === undefined) return null;
    const line = there.data.timeline.functions[at];
    return { there, fn, line, curve: chart.curves[index].functions[at], head: there.head(fn) };
  },

  amount(curve, number) {
    return curve.unit === "bytes" ? bytes(number) : plural(number, "value");
  },

  // What is alive after a block, as a part of the most.
  at(index, block) {
    const statement = page.sides[index].blocks.statement[block];
    const one = statement >= 0 ? chart.of(index, block) : null;
    if (!one || one.curve.samples[statement] === undefined) return null;
    const { curve } = one;
    const now = curve.samples[statement];
    const says = `${chart.amount(curve, now)} alive after this statement`;
    const part = curve.peak ? now / curve.peak : 0;
    const isEntry = one.fn === one.there.data.entry;
    return { now, part, isPeak: statement === curve.peakAt, isEntry, says, curve };
  },

  lanesOf(index, fn) {
    const there = page.sides[index];
    if (!there.lanes.has(fn)) {
      const at = there.timelines.get(there.functionName(fn));
      const lanes = at === undefined ? [] : there.data.timeline.functions[at].lanes;
      there.lanes.set(fn, new Map([...lanes].reverse().map((lane) => [lane[0], lane])));
    }
    return there.lanes.get(fn);
  },

  heldBy(index, fn, name) {
    const lane = chart.lanesOf(index, fn).get(name);
    if (!lane || lane[7] === null || !lane[7].length) return "";
    const late = ["", ", its del is late", ", its del is missing"][lane[5] & 2 ? 2 : lane[5]];
    const whose = lane[1] === 0 ? ", owned by the model" : "";
    return `${bytes(chart.curves[index].held(lane))}${whose}${late}`;
  },

  operators(index, name) {
    const { timeline } = page.sides[index].data;
    const entry = timeline && Object.entries(timeline.pieces).find(([one]) => one === name);
    return entry ? String(entry[1][0]) : "";
  },

  insideOf(index, name) {
    const need = chart.curves[index] ? chart.curves[index].pieces.get(name) : undefined;
    return need === undefined ? "" : bytes(need);
  },

  sliders() {
    const box = $("symbols");
    box.replaceChildren();
    const seen = new Set();
    for (const there of page.sides) {
      for (const [name, hint, low, high] of there.data.timeline ? there.data.timeline.symbols : []) {
        if (!seen.has(name)) box.append(chart.slider(name, hint, low, high));
        seen.add(name);
      }
    }
  },

  slider(name, hint, low, high) {
    const least = Math.max(low, 0);
    const most = high !== null && high <= 1 << 20 ? high : Math.max((hint || 64) * 8, 1024, least * 4);
    const value = chart.symbols.get(name);
    const common = { min: least, step: 1, value };
    const range = make("input", { type: "range", ...common, max: most, "aria-label": `Size ${name}` });
    const limit = high === null ? Number.MAX_SAFE_INTEGER : high;
    const number = make("input", { type: "number", ...common, max: limit, "aria-label": `Size ${name}, exact` });
    const recompute = atNextFrame(chart.changed);
    const set = (from, other) => () => {
      const wanted = Math.trunc(Number(from.value));
      if (from.value === "" || !Number.isFinite(wanted)) return;
      const held = Math.min(Math.max(wanted, least), limit);
      chart.symbols.set(name, held);
      other.value = String(held);
      recompute();
    };
    range.addEventListener("input", set(range, number));
    number.addEventListener("input", set(number, range));
    number.addEventListener("change", () => { number.value = String(chart.symbols.get(name)); });
    const traced = hint === null ? "no value when traced" : `${hint} when traced`;
    const bounds = high === null ? `${low} or more` : `${low} to ${high}`;
    return make("label", { class: "symbol", title: `${traced}; ${bounds}` }, make("code", {}, clip(name, 40)), range, number);
  },

  changed() {
    chart.compute();
    chart.draw();
    code.show();
    tell("sizes");
  },

  draw() {
    const one = page.at < 0 ? null : chart.of(page.side, page.block);
    chart.shown = one;
    $("memory").classList.toggle("none", one === null);
    $("no-memory").hidden = one !== null;
    if (!one) return;
    chart.facts(one);
    const width = Math.max($("curve").clientWidth, 200);
    const { curve } = one;
    const count = curve.samples.length;
    const x = (at) => (at / Math.max(count, 1)) * width;
    const parts = [draw("path", { class: "area", d: chart.steps(curve.samples, curve.peak, width, x, true) })];
    const isDrawn = curve.inside.some((need) => need);
    if (isDrawn) parts.push(...chart.strip(curve, width, x));
    const late = one.line.lanes.filter((lane) => lane[5]);
    const middle = (at) => x(at + 0.5);
    for (const lane of late.slice(0, 400)) {
      const from = x(Math.max(lane[3] + 1, 0));
      parts.push(draw("rect", { class: "needless", x: from, y: CURVE - 3, width: Math.max(x(lane[4]) - from, 1), height: 3 }));
    }
    parts.push(draw("rect", { class: "sight", id: "in-sight", y: 0, height: CURVE }));
    parts.push(draw("line", { class: "cursor", id: "cursor", y1: 0, y2: CURVE + (isDrawn ? STRIP : 0) }));
    if (curve.peakAt >= 0) {
      const at = middle(curve.peakAt);
      parts.push(draw("line", { class: "peak", x1: at, x2: at, y1: 6, y2: CURVE }));
      parts.push(draw("circle", { class: "peak", cx: at, cy: 7, r: 4 }));
    }
    const height = CURVE + (isDrawn ? STRIP : 0);
    const svg = draw("svg", { width, height, role: "img", "aria-label": $("peak").textContent }, ...parts);
    svg.dataset.count = count;
    $("curve").replaceChildren(svg);
    chart.follow();
  },

  // The outline of a curve; of more samples than there are pixels, the highest counts.
  steps(samples, most, width, x, closed) {
    const y = (value) => 8 + (CURVE - 9) * (1 - (most ? value / most : 0));
    const path = [`M0,${CURVE}`];
    if (samples.length <= width * 2) {
      samples.forEach((value, at) => path.push(`V${y(value).toFixed(1)}H${x(at + 1).toFixed(1)}`));
    } else {
      for (let pixel = 0; pixel < width; pixel += 1) {
        const from = Math.floor((pixel / width) * samples.length);
        const to = Math.max(Math.floor(((pixel + 1) / width) * samples.length), from + 1);
        let value = 0;
        for (let at = from; at < to; at += 1) value = Math.max(value, samples[at]);
        path.push(`V${y(value).toFixed(1)}H${pixel + 1}`);
      }
    }
    return path.join("") + (closed ? `V${CURVE}Z` : "");
  },

  strip(curve, width, x) {
    const most = curve.inside.reduce((one, other) => Math.max(one, other || 0), 0);
    const bars = new Map();
    curve.inside.forEach((need, at) => {
      const pixel = Math.round(x(at));
      if (need) bars.set(pixel, Math.max(bars.get(pixel) || 0, need));
    });
    const wide = Math.max(x(1), 2);
    return [...bars].map(([pixel, need]) => {
      const height = Math.max((need / most) * (STRIP - 4), 1);
      return draw("rect", { class: "inside", x: pixel, y: CURVE + 3, width: wide, height });
    });
  },

  facts({ there, line, curve, head }) {
    const inBytes = curve.unit === "bytes";
    $("memory-of").textContent = clip(line.name, 60);
    const peak = $("peak");
    peak.disabled = curve.peakAt < 0;
    const at = curve.peakAt < 0 ? "" : ` at line ${there.number(head + 1 + curve.peakAt)}`;
    peak.textContent = `peak ${chart.amount(curve, curve.peak)}${at}`;
    peak.dataset.peak = curve.peak;
    peak.dataset.at = curve.peakAt;
    const late = line.lanes.filter((lane) => lane[5]);
    const needless = late.reduce((sum, lane) => sum + chart.curves[there.index].needless(lane, curve.unit), 0);
    const most = curve.inside.reduce((one, other) => Math.max(one, other || 0), 0);
    const facts = [
      ["owned", `model owns ${inBytes ? bytes(curve.owned) : plural(curve.owned, "value")}`, "not in the curve: no del frees it"],
      most ? ["within", `inside calls up to ${chart.amount(curve, most)}`, "what a call needs by itself, below the curve"] : null,
      late.length ? ["bad", `${plural(late.length, "late or missing del")}: ${inBytes ? bytes(needless) : ""}`.replace(/: $/, ""), "in red"] : null,
      curve.unknown && inBytes ? ["unsure", `${plural(curve.unknown, "value")} of unknown size`, "not in the curve"] : null,
      inBytes ? null : ["unsure", "values are counted: the source says no sizes", ""],
    ];
    $("facts").replaceChildren(
      ...facts.filter(Boolean).map(([kind, text, title]) => make("span", { class: kind, title }, text)),
    );
  },

  // What moves with the code: the window, the cursor and the lanes.
  follow() {
    const one = chart.shown;
    const svg = $("curve").firstElementChild;
    if (!one || !svg || !code.rows) return;
    const count = one.curve.samples.length;
    const width = Number(svg.getAttribute("width"));
    const x = (at) => (at / Math.max(count, 1)) * width;
    const [first, end] = chart.window(one);
    const sight = $("in-sight");
    sight.setAttribute("x", x(first));
    sight.setAttribute("width", Math.max(x(end) - x(first), 3));
    const statement = page.block - one.head - 1;
    const inside = statement >= 0 && statement < count;
    const cursor = $("cursor");
    cursor.setAttribute("visibility", inside ? "visible" : "hidden");
    if (inside) {
      cursor.setAttribute("x1", x(statement + 0.5));
      cursor.setAttribute("x2", x(statement + 0.5));
    }
    lanes.show(one, first, end);
  },

  // The statements of the function that are in sight.
  window({ there, head, curve }) {
    const count = curve.samples.length;
    const [from, to] = code.sight();
    const seen = code.rows.list.slice(from, to).map((row) => {
      const cell = row.cells[there.index];
      return (cell ? cell.block : row.cells.length ? -1 : row.block) - head - 1;
    });
    const inside = seen.filter((at) => at >= 0 && at < count);
    if (!inside.length) return [0, Math.min(count, LEAST)];
    return [Math.min(...inside), Math.max(...inside) + 1];
  },

  start() {
    $("peak").addEventListener("click", () => {
      const one = chart.shown;
      if (one && one.curve.peakAt >= 0) go(page.side, one.head + 1 + one.curve.peakAt, { unfold: true, center: true });
      if (narrow.matches) panes.open("code");
    });
    $("curve").addEventListener("click", (event) => {
      const one = chart.shown;
      const svg = $("curve").firstElementChild;
      if (!one || !svg) return;
      const box = svg.getBoundingClientRect();
      const at = Math.floor(((event.clientX - box.left) / box.width) * one.curve.samples.length);
      const last = one.curve.samples.length - 1;
      go(page.side, one.head + 1 + Math.min(Math.max(at, 0), last), { unfold: true, center: true });
    });
    when("closed", () => { chart.shown = null; });
    when("opened", chart.open);
    const redraw = atNextFrame(() => {
      const one = page.at < 0 ? null : chart.of(page.side, page.block);
      const same = one && chart.shown && one.line === chart.shown.line && one.curve === chart.shown.curve;
      if (same && $("curve").firstElementChild) chart.follow();
      else chart.draw();
    });
    when("moved", redraw);
    when("side", chart.draw);
    when("scrolled", atNextFrame(chart.follow));
    new ResizeObserver(atNextFrame(chart.draw)).observe($("curve"));
  },
};
