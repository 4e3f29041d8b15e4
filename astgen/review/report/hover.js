// What is said of a name or a slot, and the light on where it is bound and read.

const hover = {
  // Colour the names of an element that has just been made.
  light(element, index) {
    const lit = page.lit;
    if (!lit || lit.side !== index) return;
    for (const span of element.querySelectorAll("[data-kind]")) {
      const kind = span.dataset.kind.toLowerCase();
      if (kind !== lit.kind || span.dataset.name !== lit.name) continue;
      if (kind === "v" && Number(span.dataset.fn) !== lit.fn) continue;
      span.classList.add("lit");
      const row = Number(page.sides[index].blockOf[span.dataset.line]);
      if (lit.binds.includes(row)) span.classList.add("binds");
    }
  },

  // What a part of the code stands for.
  meant(span) {
    const half = span.closest("[data-side]");
    const index = half ? Number(half.dataset.side) : 0;
    const there = page.sides[index];
    const line = Number(span.dataset.line);
    const fn = Number(span.dataset.fn);
    let { kind, name } = span.dataset;
    if (kind === "p" || kind === "c") {
      const parts = there.parts(line).slice(Number(span.dataset.part));
      const slot = parts.find((part) => part.kind === kind.toUpperCase());
      if (!slot) return null;
      kind = kind.toUpperCase();
      name = slot.text;
    }
    return { side: index, kind, name, fn, line, block: there.blockOf[line] };
  },

  // The rows of a tooltip.
  says(meant) {
    const there = page.sides[meant.side];
    if (meant.kind === "v") return hover.ofName(there, meant);
    if (meant.kind === "P") return hover.ofPiece(there.piece(Number(meant.name)), meant.name, there);
    if (meant.kind === "C") return hover.ofConstant(there.constant(Number(meant.name)), meant.name, there);
    const fn = there.data.functions.findIndex(([name]) => name === meant.name);
    return { title: meant.name, rows: [["function", fn < 0 ? "" : `line ${there.number(there.head(fn))}`]] };
  },

  ofName(there, { name, fn }) {
    const places = there.places(fn, name);
    const rows = [];
    const type = there.typeOf(fn, name);
    if (type) rows.push(["type", type]);
    if (places) {
      const [binds, reads, deletes] = places;
      const bound = binds[0];
      if (bound !== undefined && there.blocks.statement[bound] >= 0) {
        rows.push(["node", there.node(bound)], ["module", there.module(bound)]);
        const source = there.source(bound);
        if (source) {
          rows.push(["from", `${source[0]}:${source[1]}${source[2] ? ` in ${source[2]}` : ""}`]);
          rows.push(["", source[3]]);
        }
        rows.push(["bound", `line ${there.number(bound)}`]);
      } else if (bound !== undefined) {
        rows.push(["bound", `parameter of ${there.functionName(fn)}`]);
      }
      rows.push(["read", hover.lines(there, reads) || "nowhere"]);
      if (deletes.length) rows.push(["deleted", hover.lines(there, deletes)]);
      const held = chart.heldBy(there.index, fn, name);
      if (held) rows.push(["holds", held]);
    }
    const short = there.short.get(name);
    return { title: name, rows, note: short && short !== name ? `shown as ${short}` : "" };
  },

  ofPiece(piece, slot, there) {
    if (!piece) return { title: `piece ${slot}`, rows: [] };
    const rows = [["kind", piece.kind], ["operators", chart.operators(there.index, piece.name)]];
    rows.push(["inside", chart.insideOf(there.index, piece.name)]);
    rows.push(["gives", there.word(piece.gives)], ["structure", piece.does], ["blob", piece.blob]);
    rows.push(["called", hover.lines(there, piece.calls)]);
    return { title: piece.name || `piece ${slot}`, rows };
  },

  ofConstant(constant, slot, there) {
    if (!constant) return { title: `constant ${slot}`, rows: [] };
    const rows = [["type", constant.kind], ["value", constant.value], ["file", constant.state]];
    rows.push(["used", hover.lines(there, constant.uses)]);
    return { title: `constant ${slot}`, rows };
  },

  lines(there, blocks) {
    const shown = blocks.slice(0, 6).map((block) => there.number(block));
    if (!shown.length) return "";
    const more = blocks.length - shown.length;
    return `line${blocks.length > 1 ? "s" : ""} ${shown.join(", ")}${more ? ` and ${more} more` : ""}`;
  },

  show(span, event) {
    const meant = hover.meant(span);
    if (!meant) return;
    const { title, rows, note } = hover.says(meant);
    const tip = $("tip");
    const list = make("dl", {});
    for (const [name, value] of rows) {
      if (value) list.append(make("dt", {}, name), make("dd", {}, clip(String(value), 600)));
    }
    const head = make("strong", {}, clip(title, 600));
    tip.replaceChildren(head, note ? make("em", {}, clip(note, 200)) : "", list);
    tip.hidden = false;
    const box = span.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const left = Math.min(Math.max(event ? event.clientX - 24 : box.left, 8), innerWidth - size.width - 8);
    const below = box.bottom + 6 + size.height < innerHeight;
    tip.style.left = `${Math.max(left, 8)}px`;
    tip.style.top = `${below ? box.bottom + 6 : Math.max(box.top - size.height - 6, 8)}px`;
    if (!page.pinned) hover.lightUp(meant);
  },

  hide() {
    $("tip").hidden = true;
    if (!page.pinned && page.lit) {
      page.lit = null;
      hover.again();
    }
  },

  lightUp(meant) {
    const there = page.sides[meant.side];
    const places = meant.kind === "v" ? there.places(meant.fn, meant.name) : null;
    page.lit = {
      ...meant,
      kind: meant.kind.toLowerCase(),
      binds: places ? places[0] : [],
      blocks: places ? [...new Set(places.flat())] : [],
    };
    hover.again();
  },

  // The elements are there; only their light changes.
  again() {
    for (const span of $("code").querySelectorAll(".lit")) span.classList.remove("lit", "binds");
    for (const element of $("code").querySelectorAll(".src")) {
      const half = element.closest("[data-side]");
      hover.light(element, half ? Number(half.dataset.side) : 0);
    }
    tell("lit");
  },

  // A click: to what binds the name, from there to what reads it next.
  jump(span) {
    const meant = hover.meant(span);
    if (!meant) return;
    const there = page.sides[meant.side];
    if (meant.kind === "P" || meant.kind === "C") {
      go(meant.side, meant.block, {});
      panes.open(meant.kind === "P" ? "pieces" : "constants", Number(meant.name));
      return;
    }
    page.pinned = true;
    hover.lightUp(meant);
    if (meant.kind === "F") {
      const fn = there.data.functions.findIndex(([name]) => name === meant.name);
      if (fn >= 0) go(meant.side, there.head(fn), { unfold: true });
      return;
    }
    const [binds, reads, deletes] = there.places(meant.fn, meant.name) || [[], [], []];
    const bound = [...binds].reverse().find((block) => block <= meant.block) ?? binds[0];
    const later = [...reads, ...deletes].sort((one, other) => one - other);
    const isBound = bound === meant.block;
    const to = isBound ? later.find((block) => block > meant.block) ?? meant.block : bound;
    if (to !== undefined) go(meant.side, to, { unfold: true });
  },

  start() {
    const code_ = $("code");
    code_.addEventListener("mouseover", (event) => {
      const span = event.target.closest("[data-kind]");
      if (span) hover.show(span, event);
      else hover.hide();
    });
    code_.addEventListener("mouseleave", hover.hide);
    code_.addEventListener("scroll", () => { $("tip").hidden = true; }, { passive: true });
  },
};
