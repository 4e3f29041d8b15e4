// One program as the page has it, with what is worked out when somebody looks.

const LONG = 48;

class Side {
  constructor(data, index) {
    this.index = index;
    this.data = data;
    this.lines = data.lines;
    this.words = data.words;
    this.short = new Map(Object.entries(data.short));
    this.count = data.blocks.start.length;
    this.blocks = data.blocks;
    this.blockOf = new Int32Array(this.lines.length);
    for (let block = 0; block < this.count; block += 1) {
      this.blockOf.fill(block, this.blocks.start[block], this.end(block));
    }
    this.known = new Array(this.lines.length);
    this.scopes = data.names.map(() => null);
    this.parameters = data.origins.parameters.map((one) => new Map(Object.entries(one)));
    this.findings = new Map();
    data.findings.forEach((finding, index_) => {
      const there = this.findings.get(finding.block) || [];
      there.push(index_);
      this.findings.set(finding.block, there);
    });
  }

  // The line behind a block.
  end(block) {
    return block + 1 < this.count ? this.blocks.start[block + 1] : this.lines.length;
  }

  word(index) {
    return index < 0 || index === undefined ? "" : this.words[index];
  }

  // The parts of a line: their kind, their text, and what is shown of it.
  parts(line) {
    let found = this.known[line];
    if (found) return found;
    found = [];
    const text = this.lines[line];
    let at = 0;
    for (const [, kind, size] of this.data.marks[line].matchAll(/([a-zA-Z_])(\d+)/g)) {
      const part = text.slice(at, at + Number(size));
      found.push(...this.inPieces(kind, part, at));
      at += part.length;
    }
    this.known[line] = found;
    return found;
  }

  // What is long is shown in pieces, so that a row may end in it.
  inPieces(kind, text, at) {
    const shown = this.shown(kind, text);
    if (shown.length <= LONG) return [{ kind, text, at, shown }];
    const found = [];
    for (let from = 0; from < shown.length; from += LONG) {
      found.push({ kind, text, at, shown: shown.slice(from, from + LONG), goesOn: from > 0 });
    }
    return found;
  }

  shown(kind, part) {
    const short = kind === "v" && !page.fullNames ? this.short.get(part) : undefined;
    return clip(short === undefined ? part : short, kind === "s" || kind === "h" ? 2000 : 400);
  }

  // Names may be shown short or in full.
  forget() {
    this.known = new Array(this.lines.length);
  }

  label(name) {
    return clip((!page.fullNames && this.short.get(name)) || name, 120);
  }

  // The blocks that bind, read and delete a name of a function.
  places(fn, name) {
    if (fn < 0 || !this.data.names[fn]) return null;
    if (!this.scopes[fn]) this.scopes[fn] = new Map(Object.entries(this.data.names[fn]));
    return this.scopes[fn].get(name) || null;
  }

  // The names that a block binds, reads and deletes.
  namesIn(block) {
    const found = new Set();
    for (let line = this.blocks.line[block]; line < this.end(block); line += 1) {
      for (const part of this.parts(line)) if (part.kind === "v") found.add(part.text);
    }
    const places = [...found].map((name) => [name, this.places(this.blocks.function[block], name)]);
    const those = (which) =>
      places.filter(([, at]) => at && at[which].includes(block)).map(([name]) => name);
    return { binds: those(0), reads: those(1), deletes: those(2) };
  }

  // The type of a name; a name that is bound again has that of the first value.
  typeOf(fn, name) {
    const parameter = this.parameters[fn] && this.parameters[fn].get(name);
    if (parameter !== undefined) return this.word(parameter);
    const places = this.places(fn, name);
    const first = places ? places[0][0] : undefined;
    return first === undefined || this.blocks.statement[first] < 0 ? "" : this.type(first);
  }

  type(block) {
    return this.word(this.data.origins.type[block]);
  }

  module(block) {
    return this.word(this.data.origins.module[block]);
  }

  node(block) {
    return this.word(this.data.origins.node[block]);
  }

  source(block) {
    return this.data.origins.sources[this.data.origins.source[block]] || null;
  }

  functionName(fn) {
    return fn < 0 ? "" : this.data.functions[fn][0];
  }

  head(fn) {
    return this.data.functions[fn][1];
  }

  number(block) {
    return this.blocks.line[block] + 1;
  }

  // A block as one line of text.
  text(block, most) {
    let found = "";
    for (let line = this.blocks.line[block]; line < this.end(block); line += 1) {
      const text = this.parts(line).map((part) => part.shown).join("").trim();
      if (/^[)\]}]/.test(text)) found = found.replace(/,$/, "");
      else if (found && text && !/[([{]$/.test(found)) found += " ";
      found += text;
    }
    return clip(found, most || 160);
  }

  piece(slot) {
    return this.data.pieces.find((one) => one.slot === slot) || null;
  }

  constant(slot) {
    return this.data.constants.find((one) => one.slot === slot) || null;
  }
}

const side = () => page.sides[page.side];

// Read the data of a program: large pages have many, and people look at one.
function open(index) {
  tell("closed");
  const data = JSON.parse(document.querySelectorAll("script.program")[index].textContent);
  page.at = index;
  page.sides = data.sides.map((one, number) => new Side(one, number));
  page.diff = data.diff || null;
  page.side = 0;
  page.lit = null;
  page.pinned = false;
  page.folded = new Set();
  page.block = -1;
  const first = page.sides[0];
  const entry = first.data.entry;
  tell("opened");
  go(0, entry >= 0 ? Math.min(first.head(entry) + 1, first.count - 1) : 0, { center: true });
}

// Make a block the current one.
function go(index, block, how) {
  const there = page.sides[index];
  if (!there || block < 0 || block >= there.count) return;
  const moved = index !== page.side;
  page.side = index;
  page.block = block;
  if (moved) tell("side");
  tell("moved", how || {});
}
