// The code: of all rows only those are elements that are in sight.

const HEIGHT = 20;
const OVERSCAN = 12;
// Columns of text that there are at least, alone and beside another text.
const SMALLEST = 56;
const BESIDE = 40;
const SEVERITY = { error: "Error", warning: "Warning", note: "Note" };

class Code {
  constructor() {
    this.box = $("code");
    this.sizer = make("div", { class: "sizer", role: "presentation" });
    this.window = make("div", { class: "window", role: "presentation" });
    this.sizer.append(this.window);
    this.box.append(this.sizer);
    this.columns = 0;
    this.rows = null;
    this.later = atNextFrame(() => this.show());
    this.box.addEventListener("scroll", this.later, { passive: true });
    new ResizeObserver(atNextFrame(() => this.resized())).observe(this.box);
  }

  // How many characters a row has room for.
  room() {
    if (!this.letter) {
      const probe = make("span", { class: "src probe" }, "0".repeat(100));
      this.box.append(probe);
      this.letter = probe.getBoundingClientRect().width / 100 || 7.5;
      probe.remove();
    }
    const width = this.box.clientWidth;
    const two = page.diff && !narrow.matches ? 2 : 1;
    const beside = page.diff ? 64 : 90 + this.extra();
    const columns = Math.max(Math.floor((width / two - beside) / this.letter), two > 1 ? BESIDE : SMALLEST);
    // What has no room is scrolled to, inside of the box.
    this.least = Math.ceil(columns * this.letter + beside) * two;
    return columns;
  }

  // What the columns of types and modules take.
  extra() {
    const box = this.box;
    const traced = !page.diff && page.sides[0].data.is_traced && !narrow.matches;
    box.classList.toggle("has-types", traced && box.clientWidth > 700);
    box.classList.toggle("has-modules", traced && box.clientWidth > 860);
    return box.classList.contains("has-modules") ? 330 : box.classList.contains("has-types") ? 165 : 0;
  }

  resized() {
    if (page.at < 0) return;
    const columns = this.room();
    if (columns !== this.columns) this.rebuild();
    else this.show();
  }

  rebuild() {
    const top = this.rows ? this.rows.list[Math.floor(this.box.scrollTop / HEIGHT)] : null;
    this.box.classList.toggle("two", page.diff !== null);
    this.columns = this.room();
    this.rows = new Rows(this.columns);
    this.sizer.style.height = `${this.rows.count * HEIGHT}px`;
    this.sizer.style.width = this.least > this.box.clientWidth ? `${this.least}px` : "";
    this.box.setAttribute("aria-rowcount", this.rows.count);
    if (top) this.box.scrollTop = this.again(top) * HEIGHT;
    this.show();
    tell("rows");
  }

  // Where a row of before is now: the first one of its line.
  again(row) {
    const index = row.cells[0] || !page.diff ? 0 : 1;
    const cell = row.cells[index] || { block: row.block, line: -1 };
    const start = this.rows.place(index, cell.block);
    for (let at = start; at < this.rows.count; at += 1) {
      const other = this.rows.list[at].cells[index];
      if (!other || other.block !== cell.block) break;
      if (other.line === cell.line) return at;
    }
    return Math.max(start, 0);
  }

  // The rows in sight, the first and the one behind the last.
  sight() {
    const first = Math.floor(this.box.scrollTop / HEIGHT);
    const many = Math.ceil(this.box.clientHeight / HEIGHT) + 1;
    return [first, Math.min(first + many, this.rows ? this.rows.count : 0)];
  }

  show() {
    if (!this.rows) return;
    const [first, end] = this.sight();
    const from = Math.max(first - OVERSCAN, 0);
    const to = Math.min(end + OVERSCAN, this.rows.count);
    this.window.style.transform = `translateY(${from * HEIGHT}px)`;
    const found = [];
    for (let at = from; at < to; at += 1) found.push(this.row(this.rows.list[at], at));
    this.window.replaceChildren(...found);
    const current = this.rows.place(page.side, page.block);
    const active = current >= from && current < to ? `row-${current}` : "";
    if (active) this.box.setAttribute("aria-activedescendant", active);
    else this.box.removeAttribute("aria-activedescendant");
    tell("scrolled");
  }

  row(row, at) {
    const classes = ["row", row.kind];
    if (row.state) classes.push(row.state);
    const attributes = { role: "row", id: `row-${at}`, "aria-rowindex": at + 1 };
    const element = make("div", { ...attributes, class: classes.join(" ") });
    if (row.kind === "fold") element.append(...this.fold(row, element));
    else if (row.kind === "finding") element.append(...this.finding(row, element));
    else if (!page.diff) element.append(...this.line(row, element));
    else element.append(...this.pair(row));
    return element;
  }

  fold(row, element) {
    const there = page.sides[0];
    element.dataset.fold = row.block;
    if (row.block <= page.block && page.block < row.end) element.classList.add("now");
    const { node } = row;
    const called = (one) => (one.kind === "module" ? one.note.split(":")[0] : one.label);
    const first = node.parent && node.parent.kind === "group" && node.parent.nodes[0];
    const equal = first && first !== node ? `, equal to ${called(first)} up to names` : "";
    const says = `${called(node)} \u2014 ${plural(row.end - row.block, "statement")}${equal}`;
    const open_ = make("button", { class: "unfold", tabindex: "-1", "aria-label": `Unfold ${row.node.label}` }, "\u25b8");
    return [
      make("span", { class: "no", role: "gridcell" }, String(there.number(row.block))),
      make("span", { class: "heat" }),
      make("span", { class: "dot" }, open_),
      make("span", { class: "src", role: "gridcell" }, says),
    ];
  }

  finding(row, element) {
    const one = page.sides[0].data.findings[row.index];
    element.dataset.block = row.block;
    element.dataset.finding = row.index;
    element.classList.add(one.severity);
    const indent = page.sides[0].lines[one.line].match(/^ */)[0];
    return [
      make("span", { class: "no" }),
      make("span", { class: "heat" }),
      make("span", { class: "dot", title: SEVERITY[one.severity] }, "\u25cf"),
      make(
        "span",
        { class: "src", role: "gridcell", title: `${one.message}; ${one.hint}` },
        indent,
        make("b", {}, one.rule),
        ` ${one.message}`,
        make("i", {}, ` ${one.hint}`),
      ),
    ];
  }

  line(row, element) {
    const there = page.sides[0];
    const [cell] = row.cells;
    element.dataset.block = cell.block;
    if (cell.block === page.block) element.classList.add("now");
    if (search.isHit(0, cell.line)) element.classList.add("hit");
    const live = cell.head ? chart.at(0, cell.block) : null;
    const heat = make("span", { class: live && live.isPeak && live.isEntry ? "heat peak" : "heat" });
    if (live && live.part > 0) {
      const bar = make("i", {});
      bar.style.width = `${Math.max(live.part * 100, 2)}%`;
      heat.append(bar);
      heat.title = live.says;
    }
    const found = [this.no(there, cell), heat, this.dot(there, cell), this.src(there, cell)];
    if (there.data.is_traced) {
      const type = cell.head ? there.type(cell.block) : "";
      const module_ = cell.head ? there.module(cell.block) : "";
      found.push(make("span", { class: "type", role: "gridcell", title: type }, clip(type, 80)));
      found.push(make("span", { class: "module", role: "gridcell", title: module_ }, clip(module_, 80)));
    }
    return found;
  }

  pair(row) {
    const found = [];
    row.cells.forEach((cell, index) => {
      const there = page.sides[index];
      const half = make("span", { class: cell ? "half" : "half none", role: "gridcell" });
      found.push(half);
      if (!cell) return;
      half.dataset.block = cell.block;
      half.dataset.side = index;
      if (cell.block === page.block && index === page.side) half.classList.add("now");
      if (search.isHit(index, cell.line)) half.classList.add("hit");
      half.append(this.no(there, cell), this.dot(there, cell), this.src(there, cell));
    });
    if (row.badge) found.push(diff.badges(row));
    return found;
  }

  no(there, cell) {
    return make("span", { class: "no", role: "gridcell" }, cell.first ? String(cell.line + 1) : "");
  }

  dot(there, cell) {
    const findings = cell.head ? there.findings.get(cell.block) : null;
    if (!findings) return make("span", { class: "dot" });
    const worst = ["error", "warning", "note"].find((severity) =>
      findings.some((index) => there.data.findings[index].severity === severity),
    );
    const says = findings.map((index) => there.data.findings[index].message).join("\n");
    return make("span", { class: `dot ${worst}`, title: clip(says, 400) }, page.diff ? "\u25cf" : "");
  }

  src(there, cell) {
    const element = make("span", { class: "src", role: "gridcell" });
    const parts = there.parts(cell.line);
    const fn = there.blocks.function[cell.block];
    if (!cell.first) {
      const indent = parts[0].kind === "_" ? parts[0].shown.length : 0;
      element.append(" ".repeat(indent + HANGING));
    }
    const wrong = (there.findings.get(cell.block) || [])
      .map((index) => there.data.findings[index])
      .filter((one) => one.line === cell.line);
    for (let at = cell.from; at < cell.to; at += 1) {
      const part = parts[at];
      const isWrong = wrong.find(
        (one) => part.kind !== "_" && one.from < part.at + part.text.length && part.at < (one.to ?? 1e9),
      );
      const classes = [`t-${part.kind}`];
      if (isWrong) classes.push("wrong", isWrong.severity);
      if (search.isFound(part)) classes.push("found");
      if (part.kind === "_" || (part.kind === "o" && classes.length === 1)) {
        element.append(part.shown);
        continue;
      }
      const span = make("span", { class: classes.join(" ") }, part.shown);
      if ("vFpPcC".includes(part.kind)) {
        span.dataset.kind = part.kind;
        span.dataset.name = part.text;
        span.dataset.part = at;
        span.dataset.line = cell.line;
        span.dataset.fn = fn;
      }
      element.append(span);
    }
    hover.light(element, there.index);
    return element;
  }

  // Bring a block into sight; what is folded away is unfolded.
  reveal(index, block, how) {
    if (how && how.unfold) {
      let changed = false;
      for (const node of [...page.folded]) {
        if (node.spans.some(([start, end]) => start <= block && block < end)) {
          page.folded.delete(node);
          changed = true;
        }
      }
      if (changed) this.rebuild();
    }
    const at = this.rows ? this.rows.place(index, block) : -1;
    if (at < 0) return;
    const [first, end] = this.sight();
    const margin = 3;
    if (at < first + margin || at > end - margin - 2) {
      const many = Math.floor(this.box.clientHeight / HEIGHT);
      const near = at >= first - 4 && at <= end + 4 && !(how && how.center);
      if (!near) this.box.scrollTop = (at - many / 3) * HEIGHT;
      else if (at < first + margin) this.box.scrollTop = (at - margin) * HEIGHT;
      else this.box.scrollTop = (at - many + margin + 1) * HEIGHT;
    }
  }
}
