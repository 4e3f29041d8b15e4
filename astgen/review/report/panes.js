// The panes beside the code: what is known of the current statement, and the tables.

const ALWAYS = ["code", "layers", "memory"];
const MANY = 400;

const panes = {
  drawn: new Set(),

  // Open a pane; of a table, at the row of a slot.
  open(name, slot) {
    const main = $("main");
    if (!narrow.matches && ALWAYS.includes(name)) return;
    main.dataset.tab = name;
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const selected = tab.dataset.pane === name;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
    }
    panes.fill(name);
    if (narrow.matches) {
      code.resized();
      if (name === "code") code.reveal(page.side, page.block, {});
      if (name === "memory") chart.draw();
    }
    if (slot === undefined) return;
    const row = $(`pane-${name}`).querySelector(`tr[data-slot="${slot}"]`);
    for (const other of document.querySelectorAll("tr.now")) other.classList.remove("now");
    if (row) {
      row.classList.add("now");
      row.scrollIntoView({ block: "center" });
    }
  },

  // Tables are made when they are first looked at.
  fill(name) {
    if (page.at < 0 || panes.drawn.has(name) || !panes[name]) return;
    panes.drawn.add(name);
    panes[name]($(`pane-${name}`));
  },

  again() {
    panes.drawn.clear();
    const counts = {
      pieces: side().data.pieces.length,
      constants: side().data.constants.length,
      findings: side().data.findings.length,
      differences: page.diff ? page.diff.differences.length : 0,
    };
    for (const [name, count] of Object.entries(counts)) {
      $(`tab-${name}`).querySelector(".count").textContent = count ? grouped(count) : "";
    }
    $("tab-differences").hidden = page.diff === null;
    panes.fill($("main").dataset.tab);
    panes.details();
  },

  to(there, block, text) {
    const label = text === undefined ? String(there.number(block)) : text;
    return make("button", {
      class: "to",
      title: there.text(block, 200),
      on: { click: () => {
        if (narrow.matches) panes.open("code");
        go(there.index, block, { unfold: true, center: true });
      } },
    }, label);
  },

  toAll(there, blocks) {
    const found = [];
    blocks.slice(0, 8).forEach((block, at) => found.push(at ? " " : "", panes.to(there, block)));
    if (blocks.length > 8) found.push(` +${blocks.length - 8}`);
    return found;
  },

  table(box, heads, rows, make_) {
    const body = make("tbody", {});
    const more = make("button", { class: "more" });
    let done = 0;
    const add = () => {
      rows.slice(done, done + MANY).forEach((row) => body.append(make_(row)));
      done = Math.min(done + MANY, rows.length);
      more.textContent = `${grouped(rows.length - done)} more`;
      more.hidden = done >= rows.length;
    };
    more.addEventListener("click", add);
    add();
    const cells_ = heads.map((head) => make("th", { scope: "col" }, head));
    box.replaceChildren(
      make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...cells_)), body), more),
    );
  },

  none(box, says) {
    box.replaceChildren(make("p", { class: "empty" }, says));
  },

  pieces(box) {
    const there = side();
    const rows = there.data.pieces;
    if (!rows.length) {
      panes.none(box, "The text calls no pieces.");
      return;
    }
    panes.table(box, ["slot", "name", "kind", "lines", "ops", "inside", "takes \u2192 gives", "structure", "blob"], rows, (one) => {
      const gives = there.word(one.gives);
      const takes = one.takes.map(([name, type]) => `${there.label(name)}${type < 0 ? "" : `: ${there.word(type)}`}`);
      const types = one.takes.map(([, type]) => there.word(type)).filter(Boolean);
      const signature = types.length || gives ? `${clip(types.join(", "), 90)} \u2192 ${gives || "?"}` : plural(takes.length, "argument");
      return make("tr", { "data-slot": one.slot, class: one.kind.replace(" ", "-") },
        make("td", { class: "number" }, String(one.slot)),
        make("td", { class: "name", title: one.name }, clip(one.name || "\u2014", 60)),
        make("td", {}, make("span", { class: `kind ${one.kind.replace(" ", "-")}` }, one.kind)),
        make("td", {}, ...panes.toAll(there, one.calls)),
        make("td", { class: "number" }, chart.operators(there.index, one.name)),
        make("td", { class: "number", "data-inside": one.name }, chart.insideOf(there.index, one.name)),
        make("td", { class: "types", title: `(${clip(takes.join(", "), 900)}) \u2192 ${gives}` }, signature),
        make("td", { class: "hash", title: `equal for pieces that do the same: ${one.does}` }, one.does.slice(0, 8)),
        make("td", { class: "hash", title: one.blob }, one.blob.slice(0, 12)));
    });
  },

  constants(box) {
    const there = side();
    const rows = there.data.constants;
    if (!rows.length) {
      panes.none(box, "The text takes no constants.");
      return;
    }
    panes.table(box, ["slot", "type", "value", "lines", "portability"], rows, (one) =>
      make("tr", { "data-slot": one.slot },
        make("td", { class: "number" }, String(one.slot)),
        make("td", { class: "name", title: one.kind }, clip(one.kind || "\u2014", 40)),
        make("td", { class: "value", title: clip(one.value, 900) }, clip(one.value || "\u2014", 80)),
        make("td", {}, ...panes.toAll(there, one.uses)),
        make("td", {}, one.state)));
  },

  findings(box) {
    const there = side();
    const rows = there.data.findings;
    const unread = page.about.findings[page.side] || [];
    if (!rows.length && !unread.length) {
      panes.none(box, "The linter finds nothing.");
      return;
    }
    const list = make("ol", { class: "list" });
    for (const text of unread) list.append(make("li", { class: "error" }, clip(text, 400)));
    rows.slice(0, 2000).forEach((one, index) => {
      list.append(make("li", { class: one.severity },
        make("button", { on: { click: () => {
          if (narrow.matches) panes.open("code");
          findings.go(index);
        } } },
        make("b", {}, one.rule), ` line ${one.line + 1} `, make("span", {}, one.name), make("p", {}, clip(one.message, 600)), make("p", { class: "hint" }, clip(one.hint, 400)))));
    });
    box.replaceChildren(list);
  },

  differences(box) {
    if (!page.diff) return;
    const { differences: all, verdict, counts, unknown } = page.diff;
    const told = Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(", ");
    const list = make("ol", { class: "list" });
    all.slice(0, 5000).forEach((one, index) => {
      const places = [one.left, one.right].map((block, at) =>
        block < 0 ? "" : `${"AB"[at]} ${page.sides[at].number(block)}`);
      list.append(make("li", { "data-index": index },
        make("button", { on: { click: () => {
          if (narrow.matches) panes.open("code");
          diff.go(index);
        } } },
        make("span", { class: `badge ${one.category.replace(/ /g, "-")}` }, one.category),
        ` ${places.filter(Boolean).join(" \u2192 ")}`,
        one.left >= 0 ? make("code", { class: "left" }, page.sides[0].text(one.left, 120)) : "",
        one.right >= 0 ? make("code", { class: "right" }, page.sides[1].text(one.right, 120)) : "",
        one.detail ? make("p", {}, clip(one.detail, 400)) : "",
        one.inside.length ? make("pre", {}, one.inside.map((line) => clip(line, 300)).join("\n")) : "")));
    });
    box.replaceChildren(make("p", { class: "verdict" }, make("b", {}, verdict), told ? `: ${told}` : "", unknown ? `; ${unknown}` : ""), list);
  },

  difference(index) {
    if (!narrow.matches && $("main").dataset.tab !== "differences") panes.open("differences");
    for (const item of $("pane-differences").querySelectorAll("li")) {
      const now = Number(item.dataset.index) === index;
      item.classList.toggle("now", now);
      if (now && !narrow.matches) item.scrollIntoView({ block: "nearest" });
    }
  },

  about(box) {
    const found = [make("p", { class: "warning" }, "\u26a0 This file contains code of the model. Give it only to people who may see that.")];
    for (const there of page.sides) {
      if (page.sides.length > 1) found.push(make("h3", {}, `${"AB"[there.index]}: ${page.about.sources[there.index]}`));
      for (const [group, facts] of there.data.head) {
        const list = make("dl", { class: "facts" });
        for (const [name, value] of facts) list.append(make("dt", {}, name), make("dd", {}, clip(value, 400)));
        found.push(make("h4", {}, group), list);
      }
    }
    box.replaceChildren(...found);
  },

  names(there, fn, title, names) {
    if (!names.length) return "";
    const list = make("ul", { class: "names" });
    for (const name of names.slice(0, 60)) {
      const places = there.places(fn, name);
      const type = there.typeOf(fn, name);
      const bound = places && places[0][0];
      const held = chart.heldBy(there.index, fn, name);
      list.append(make("li", {},
        bound === undefined || bound === null ? there.label(name) : panes.to(there, bound, there.label(name)),
        type ? make("span", { class: "of-type" }, clip(type, 90)) : "",
        held ? make("span", { class: "held" }, held) : ""));
    }
    if (names.length > 60) list.append(make("li", {}, `and ${names.length - 60} more`));
    return make("section", {}, make("h4", {}, title), list);
  },

  details() {
    if (page.at < 0 || page.block < 0) return;
    const there = side();
    const { block } = page;
    const fn = there.blocks.function[block];
    const { binds, reads, deletes } = there.namesIn(block);
    const live = chart.at(there.index, block);
    const facts = make("dl", { class: "facts" });
    const say = (name, value) => {
      if (value) facts.append(make("dt", {}, name), make("dd", {}, clip(value, 400)));
    };
    say("type", there.type(block));
    say("module", there.module(block));
    say("node", there.node(block));
    if (live) say("alive after it", `${chart.amount(live.curve, live.now)}${live.isPeak ? ", the peak" : ""}`);
    const source = there.source(block);
    const from = source && make("section", {}, make("h4", {}, "Model code"),
      make("p", { class: "file" }, `${source[0]}:${source[1]}${source[2] ? ` in ${source[2]}` : ""}`),
      make("pre", {}, clip(source[3], 300)));
    const uses = binds.length === 1 ? there.places(fn, binds[0]) : null;
    const users = uses ? [...new Set([...uses[1], ...uses[2]])] : [];
    const told = (there.findings.get(block) || []).map((index) => there.data.findings[index]);
    const isHead = there.blocks.statement[block] < 0;
    const where = page.diff ? `${"AB"[there.index]}, ` : "";
    $("pane-details").replaceChildren(
      make("h3", {}, `${where}line ${grouped(there.number(block))}`, make("span", { class: "in" }, fn < 0 ? "" : clip(there.functionName(fn), 60))),
      make("pre", { class: "statement" }, there.text(block, 700)),
      facts,
      ...told.map((one) => make("p", { class: `told ${one.severity}` }, make("b", {}, one.rule), ` ${clip(one.message, 400)}; ${clip(one.hint, 300)}`)),
      from || "",
      panes.names(there, fn, isHead ? "Parameters" : "Binds", binds),
      users.length ? make("section", {}, make("h4", {}, "Used at lines"), make("p", {}, ...panes.toAll(there, users))) : "",
      panes.names(there, fn, "Reads", reads),
      panes.names(there, fn, "Deletes", deletes));
  },

  start() {
    const tabs = [...document.querySelectorAll("[role=tab]")];
    for (const tab of tabs) tab.addEventListener("click", () => panes.open(tab.dataset.pane));
    $("tabs").addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const seen = tabs.filter((tab) => tab.offsetParent !== null);
      const at = seen.indexOf(document.activeElement);
      const next = seen[(at + step + seen.length) % seen.length];
      next.focus();
      panes.open(next.dataset.pane);
      event.preventDefault();
      event.stopPropagation();
    });
    narrow.addEventListener("change", () => {
      const { tab } = $("main").dataset;
      panes.open(narrow.matches ? "code" : ALWAYS.includes(tab) ? "details" : tab);
      if (page.at >= 0) code.rebuild();
    });
    when("opened", panes.again);
    when("side", panes.again);
    when("moved", atNextFrame(panes.details));
    when("sizes", () => {
      panes.details();
      for (const cell of document.querySelectorAll("[data-inside]")) {
        cell.textContent = chart.insideOf(page.side, cell.dataset.inside);
      }
    });
  },
};
