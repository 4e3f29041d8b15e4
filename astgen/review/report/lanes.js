// A lane for each value: when it is bound, until when it is needed, and when it is gone.

const lanes = {
  seen: [],

  show(one, first, end) {
    const { line, curve, there } = one;
    const count = curve.samples.length;
    const more = Math.max(LEAST - (end - first), 0);
    const from = Math.max(first - Math.ceil(more / 2), 0);
    const to = Math.min(from + Math.max(end - first, LEAST), count);
    const owned = $("owned").checked;
    lanes.seen = line.lanes.filter(
      (lane) => Math.max(lane[2], 0) < to && lane[4] > from && (owned || lane[1] !== 0),
    );
    // What is held too long comes first.
    lanes.seen.sort((left, right) => Math.sign(right[5]) - Math.sign(left[5]));
    lanes.one = one;
    lanes.from = from;
    lanes.to = to;
    const box = $("lanes");
    $("lanes-in").style.height = `${lanes.seen.length * LANE}px`;
    const label = `Values of statements ${from + 1} to ${to} of ${count}: ${lanes.seen.length}`;
    $("lanes-of").textContent = `${plural(lanes.seen.length, "value")} at lines ${there.number(one.head + 1 + from)}\u2013${there.number(one.head + to)}`;
    box.setAttribute("aria-label", label);
    lanes.draw();
  },

  draw() {
    const box = $("lanes");
    if (!lanes.one) return;
    const { curve, there } = lanes.one;
    const first = Math.max(Math.floor(box.scrollTop / LANE) - 4, 0);
    const many = Math.ceil(box.clientHeight / LANE) + 8;
    const width = Math.max(box.clientWidth, 200);
    const label = Math.min(LABEL, width / 3);
    const scale = (width - label) / Math.max(lanes.to - lanes.from, 1);
    const x = (at) => label + (Math.min(Math.max(at, lanes.from), lanes.to) - lanes.from) * scale;
    const shown = lanes.seen.slice(first, first + many);
    const statement = page.block - lanes.one.head - 1;
    const parts = [];
    if (statement >= lanes.from && statement < lanes.to) {
      parts.push(draw("rect", { class: "at", x: x(statement), y: 0, width: Math.max(scale, 1), height: shown.length * LANE }));
    }
    shown.forEach((lane, at) => parts.push(lanes.lane(lane, at * LANE, x, curve, there)));
    const svg = draw("svg", { width, height: shown.length * LANE, role: "presentation" }, ...parts);
    svg.style.top = `${first * LANE}px`;
    $("lanes-in").replaceChildren(svg);
  },

  lane(lane, y, x, curve, there) {
    const [name, kind, first, lastUse, end, flags] = lane;
    const size = chart.curves[there.index].held(lane);
    const from = x(Math.max(first, 0));
    const needed = flags ? x(lastUse + 1) : x(end);
    const needless = chart.curves[there.index].needless(lane, curve.unit);
    const bad = flags ? `; ${flags & 2 ? "missing" : "late"} del${curve.unit === "bytes" ? `, ${bytes(needless)} held needlessly` : ""}` : "";
    const says = `${name}${lane[6] ? `: ${lane[6]}` : ""}${size === null ? "" : `, ${bytes(size)}`}${bad}`;
    const group = draw("g", { class: `lane ${KINDS[kind]}` }, draw("title", {}, clip(says, 600)));
    const shown = clip(there.label(name), 26);
    group.append(draw("text", { class: "name", x: 6, y: y + 12 }, shown));
    group.append(draw("rect", { class: "bar", x: from, y: y + 3, width: Math.max(needed - from, 2), height: LANE - 6, rx: 2 }));
    if (flags) {
      const wide = Math.max(x(end) - needed, 2);
      group.append(draw("rect", { class: "needless", x: needed, y: y + 3, width: wide, height: LANE - 6, rx: 2 }));
      if (curve.unit === "bytes") {
        group.append(...lanes.amount(bytes(needless), needed, needed + wide, y, x));
      }
    }
    if (size && !flags) group.append(...lanes.amount(bytes(size), from, Math.max(needed, from + 2), y, x));
    group.dataset.first = Math.max(first, 0);
    return group;
  },

  // In a bar that has room for it, else behind it, else nowhere.
  amount(text, from, end, y, x) {
    const wide = text.length * 6.4 + 8;
    if (end - from >= wide) return [draw("text", { class: "in", x: from + 4, y: y + 12 }, text)];
    if (x(lanes.to) - end < wide) return [];
    return [draw("text", { class: "behind", x: end + 4, y: y + 12 }, text)];
  },

  start() {
    $("lanes").addEventListener("scroll", atNextFrame(lanes.draw), { passive: true });
    $("owned").addEventListener("change", () => chart.follow());
    $("lanes").addEventListener("click", (event) => {
      const group = event.target.closest(".lane");
      if (!group || !lanes.one) return;
      go(page.side, lanes.one.head + 1 + Number(group.dataset.first), { unfold: true, center: true });
    });
  },
};
