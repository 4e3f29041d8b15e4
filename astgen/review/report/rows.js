// Blocks -> rows of equal height. A line that is too long goes on in rows of its own.

const HANGING = 4;

// Where a line is broken: ranges of parts that fit into so many columns.
function broken(there, line, columns) {
  const parts = there.parts(line);
  const whole = [[0, parts.length]];
  if (there.lines[line].length <= columns) return whole;
  let width = 0;
  for (const part of parts) width += part.shown.length;
  if (width <= columns) return whole;
  const found = [];
  const indent = (parts.length && parts[0].kind === "_" ? parts[0].shown.length : 0) + HANGING;
  let start = 0;
  let used = 0;
  // Where the row may end, where the next one begins then, and what is behind that.
  let gap = null;
  parts.forEach((part, at) => {
    const size = part.shown.length;
    if (part.goesOn) gap = { end: at, next: at, behind: 0 };
    if (used + size > columns && gap && gap.end > start) {
      found.push([start, gap.end]);
      start = gap.next;
      used = indent + gap.behind;
      gap = null;
    }
    used += size;
    if (part.kind === "_" && at > 0) gap = { end: at, next: at + 1, behind: 0 };
    else if (gap) gap.behind += size;
  });
  found.push([start, parts.length]);
  return found;
}

// The rows of a block in one text.
function cells(there, block, columns) {
  const found = [];
  for (let line = there.blocks.start[block]; line < there.end(block); line += 1) {
    broken(there, line, columns).forEach(([from, to], at) => {
      const head = at === 0 && line === there.blocks.line[block];
      found.push({ block, line, from, to, first: at === 0, head });
    });
  }
  return found;
}

class Rows {
  constructor(columns) {
    this.list = [];
    // For each side and block the row that it is found at, -1 if it is folded away.
    this.places = page.sides.map((there) => new Int32Array(there.count).fill(-1));
    if (page.diff) this.beside(columns);
    else this.alone(page.sides[0], columns);
  }

  get count() {
    return this.list.length;
  }

  place(index, block) {
    return this.places[index][block];
  }

  push(row) {
    row.cells.forEach((cell, index) => {
      if (cell && (cell.head || this.places[index][cell.block] < 0)) {
        this.places[index][cell.block] = this.list.length;
      }
    });
    this.list.push(row);
  }

  alone(there, columns) {
    const starts = new Map();
    for (const node of page.folded) {
      for (const [start, end] of node.spans) {
        const known = starts.get(start);
        if (!known || known.end < end) starts.set(start, { end, node });
      }
    }
    for (let block = 0; block < there.count; block += 1) {
      const fold = starts.get(block);
      if (fold) {
        this.list.push({ kind: "fold", block, node: fold.node, end: fold.end, cells: [] });
        this.places[0].fill(this.list.length - 1, block, fold.end);
        block = fold.end - 1;
        continue;
      }
      const findings = there.findings.get(block) || [];
      const all = cells(there, block, columns);
      all.forEach((cell, at) => {
        this.push({ kind: "code", block, cells: [cell] });
        // A finding stands below its line, with all the rows that the line takes.
        if (at + 1 < all.length && !all[at + 1].first) return;
        for (const index of findings) {
          if (there.data.findings[index].line === cell.line) {
            this.list.push({ kind: "finding", block, index, cells: [] });
          }
        }
      });
    }
  }

  beside(columns) {
    const [left, right] = page.sides;
    const told = page.diff.differences;
    const at = [new Map(), new Map()];
    told.forEach((one, index) => {
      [one.left, one.right].forEach((block, number) => {
        if (block < 0) return;
        if (!at[number].has(block)) at[number].set(block, []);
        at[number].get(block).push(index);
      });
    });
    this.pairOf = new Array(told.length).fill(-1);
    const pairs = page.diff.rows;
    for (let pair = 0; pair < pairs.length; pair += 2) {
      const [one, other] = [pairs[pair], pairs[pair + 1]];
      const differences = [...new Set([...(at[0].get(one) || []), ...(at[1].get(other) || [])])];
      const ones = one < 0 ? [] : cells(left, one, columns);
      const others = other < 0 ? [] : cells(right, other, columns);
      const same = one >= 0 && other >= 0 && left.text(one, 1e9) === right.text(other, 1e9);
      let state = one < 0 || other < 0 ? "single" : same ? "same" : "renamed";
      if (differences.length) state = "changed";
      // Heads stand beside each other even if there are comments above one of them.
      const heads = [ones, others].map((row) => Math.max(row.findIndex((cell) => cell.head), 0));
      const above = Math.max(...heads);
      // Where there is no room beside, what differs stands below.
      if (narrow.matches && (state === "changed" || state === "single")) {
        const below = [...ones.map((cell) => [cell, null]), ...others.map((cell) => [null, cell])];
        if (differences.length) differences.forEach((index) => this.claim(index));
        below.forEach((both, number) => {
          const badge = number === 0 && differences.length > 0;
          this.push({ kind: "code", block: one, cells: both, state, differences, badge });
        });
        continue;
      }
      const rows = above + Math.max(ones.length - heads[0], others.length - heads[1]);
      for (let number = 0; number < rows; number += 1) {
        const both = [ones[number - above + heads[0]], others[number - above + heads[1]]];
        const badge = number === above && differences.length > 0;
        if (badge) differences.forEach((index) => this.claim(index));
        const row = { kind: "code", block: one, cells: both.map((cell) => cell || null) };
        this.push({ ...row, state, differences, badge });
      }
    }
  }

  claim(index) {
    if (this.pairOf[index] < 0) this.pairOf[index] = this.list.length;
  }
}
