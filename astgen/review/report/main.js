// The page as a whole: header, keys, theme, and the start.

const code = new Code();

const header = {
  show() {
    const there = side();
    const entry = there.data.entry;
    const statements = there.blocks.statement.filter((one) => one >= 0).length;
    const chips = [];
    if (page.diff) {
      const { verdict, counts, unknown } = page.diff;
      const isSame = verdict !== "different" && !unknown;
      chips.push(make("span", { class: `chip ${isSame ? "good" : "warning"}` }, clip(verdict, 80)));
      if (unknown) chips.push(make("span", { class: "chip warning" }, unknown));
      for (const [name, count] of Object.entries(counts)) {
        chips.push(make("span", { class: `badge ${name.replace(/ /g, "-")}` }, `${name} ${count}`));
      }
    }
    chips.push(make("span", { class: "chip" }, plural(statements, "statement")));
    if (there.data.functions.length > 1) chips.push(make("span", { class: "chip" }, plural(there.data.functions.length, "function")));
    page.sides.forEach((one) => chips.push(...header.counts(one)));
    for (const [name, value] of page.diff ? [] : header.hashes(there)) {
      chips.push(make("span", { class: "chip hash", title: `${name} ${value}` }, `${name} `, make("code", {}, value.slice(0, 10))));
    }
    if (entry < 0) chips.push(make("span", { class: "chip error" }, "no entry function"));
    $("chips").replaceChildren(...chips);
    page.sides.forEach((one, at) => {
      const place = one.data.place;
      const title = `${page.about.sources[at]}${place ? ` [${place}]` : ""}`;
      $(at ? "right" : "left").replaceChildren(make("b", {}, "AB"[at]), ` ${clip(title, 160)}`);
    });
    $("chooser").value = String(page.at);
  },

  counts(there) {
    const { counts, refused } = there.data;
    const which = page.diff ? `${"AB"[there.index]} ` : "";
    const found = [];
    if (refused) found.push(make("span", { class: "chip error" }, `${which}refused by the checker`));
    for (const severity of ["error", "warning", "note"]) {
      if (counts[severity]) found.push(make("span", { class: `chip ${severity}` }, `${which}${plural(counts[severity], severity)}`));
    }
    if (!found.length) found.push(make("span", { class: "chip good" }, `${which}no findings`));
    return found;
  },

  hashes(there) {
    const group = there.data.head.find(([name]) => name === "Hashes");
    return group ? group[1].slice(0, 4) : [];
  },

  chooser() {
    const box = $("chooser");
    page.about.programs.forEach((one, at) => {
      const errors = one.refused ? ", refused" : one.counts.error ? `, ${plural(one.counts.error, "error")}` : "";
      const differs = one.verdict ? `, ${one.verdict}` : "";
      box.append(make("option", { value: at }, `${clip(one.place || page.about.sources[0], 70)}${errors}${differs}`));
    });
    box.hidden = page.about.programs.length < 2;
    box.addEventListener("change", () => begin(Number(box.value)));
  },
};

const theme = {
  set(name) {
    document.documentElement.dataset.theme = name;
    $("theme").setAttribute("aria-label", `Colours: ${name}`);
    $("theme").title = `Colours: ${name}`;
  },

  start() {
    theme.set("system");
    $("theme").addEventListener("click", () => {
      const names_ = ["system", "light", "dark"];
      const at = names_.indexOf(document.documentElement.dataset.theme);
      theme.set(names_[(at + 1) % names_.length]);
    });
  },
};

// Where statements are, j and k go from one to the next; elsewhere from line to line.
function step(by) {
  const there = side();
  if (page.diff) {
    let at = code.rows.place(page.side, page.block);
    const seen = at;
    for (at += by; at >= 0 && at < code.rows.count; at += by) {
      const { cells: both } = code.rows.list[at];
      const index = both[page.side] && both[page.side].head ? page.side : 1 - page.side;
      if (both[index] && both[index].head && code.rows.place(index, both[index].block) !== seen) {
        go(index, both[index].block, {});
        return;
      }
    }
    return;
  }
  let block = page.block + by;
  const at = code.rows.place(0, page.block);
  while (block >= 0 && block < there.count && code.rows.place(0, block) === at) block += by;
  go(page.side, block, {});
}

const KEYS = new Map([
  ["j", () => step(1)],
  ["ArrowDown", () => step(1)],
  ["k", () => step(-1)],
  ["ArrowUp", () => step(-1)],
  ["n", () => findings.next(1)],
  ["p", () => findings.next(-1)],
  ["[", () => tree.fold()],
  ["]", () => tree.unfold()],
  ["Home", () => go(page.side, 0, {})],
  ["g", () => go(page.side, 0, {})],
  ["End", () => go(page.side, side().count - 1, {})],
  ["G", () => go(page.side, side().count - 1, {})],
  ["f", () => names()],
  ["m", () => $("peak").click()],
  ["/", () => {
    $("search").focus();
    $("search").select();
  }],
  ["?", () => $("help").showModal()],
  ["Escape", () => {
    page.pinned = false;
    page.lit = null;
    $("tip").hidden = true;
    hover.again();
  }],
]);

function names() {
  page.fullNames = !page.fullNames;
  $("names").setAttribute("aria-pressed", String(page.fullNames));
  page.sides.forEach((there) => there.forget());
  code.rebuild();
  code.reveal(page.side, page.block, {});
  panes.again();
  chart.follow();
}

function key(event) {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  if (target.matches("input, select, textarea")) return;
  const isList = target.closest("[role=tree], [role=tablist], .side");
  if (isList && (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")) return;
  const call = KEYS.get(event.key);
  if (!call) return;
  event.preventDefault();
  call();
}

function clicked(event) {
  const span = event.target.closest("[data-kind]");
  const fold = event.target.closest("[data-fold]");
  const there = event.target.closest("[data-block]");
  if (span) hover.jump(span);
  else if (fold) {
    go(0, Number(fold.dataset.fold), {});
    tree.unfold();
  } else if (there) go(Number(there.dataset.side || 0), Number(there.dataset.block), {});
}

// Who compares two programs wants to see what differs.
function begin(at) {
  open(at);
  if (page.diff) diff.go(0);
}

function start() {
  theme.start();
  header.chooser();
  when("closed", () => {
    code.rows = null;
    code.box.scrollTop = 0;
  });
  [splits, ruler, chart, lanes, panes, tree, hover, search, diff, findings].forEach((part) => part.start());
  // The code is last: its rows show what the other parts have found out.
  when("opened", () => {
    header.show();
    code.rebuild();
  });
  when("side", header.show);
  when("moved", (how) => {
    code.reveal(page.side, page.block, how);
    code.show();
  });
  document.addEventListener("keydown", key);
  $("code").addEventListener("click", clicked);
  $("names").addEventListener("click", names);
  $("show-help").addEventListener("click", () => $("help").showModal());
  $("fold-memory").addEventListener("click", () => {
    const shut = $("main").classList.toggle("no-memory");
    $("fold-memory").setAttribute("aria-expanded", String(!shut));
    code.resized();
    if (!shut) chart.draw();
  });
  panes.open(narrow.matches ? "code" : page.about.programs[0].verdict ? "differences" : "details");
  begin(0);
  requestAnimationFrame(() => requestAnimationFrame(() => {
    document.documentElement.dataset.painted = String(Math.round(performance.now()));
  }));
}

start();
