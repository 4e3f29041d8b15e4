// Sizes and curves, from the data that `astgen.review.timeline.data` describes. The rules
// are those of `astgen.provenance.sizes` and `astgen.review.timeline.curve`, number for number.

const MOST = 2n ** 63n;

const floored = (left, right) => {
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
};

const ARITHMETIC = new Map([
  ["+", (left, right) => left + right],
  ["*", (left, right) => left * right],
  ["//", floored],
  ["%", (left, right) => left - floored(left, right) * right],
  ["min", (left, right) => (left < right ? left : right)],
  ["max", (left, right) => (left > right ? left : right)],
]);

// The number that a size is: lists are interpreted, nothing is run.
function evaluate(size, symbols) {
  if (size === null) return null;
  if (typeof size === "number") return BigInt(size);
  if (typeof size === "string") return symbols.has(size) ? symbols.get(size) : null;
  const [operator, ...parts] = size;
  const numbers = parts.map((part) => evaluate(part, symbols));
  if (numbers.includes(null)) return null;
  if ((operator === "//" || operator === "%") && numbers.slice(1).includes(0n)) return null;
  const found = numbers.reduce(ARITHMETIC.get(operator));
  return found >= -MOST && found < MOST ? found : null;
}

// All curves of a program for given sizes. Sums are exact up to 2 ** 53, which is more
// memory than there is.
class Curves {
  constructor(timeline, symbols) {
    this.timeline = timeline;
    const given = new Map([...symbols].map(([name, value]) => [name, BigInt(value)]));
    const number = (size) => {
      const found = evaluate(size, given);
      return found === null ? null : Number(found);
    };
    this.storages = timeline.storages.map(([size]) => number(size));
    this.pieces = new Map();
    for (const [name, [, rows]] of Object.entries(timeline.pieces)) {
      this.pieces.set(name, this.most(rows.map(([size, ...span]) => [number(size), ...span])));
    }
    this.needs = new Map();
    this.functions = timeline.functions.map((one) => this.curve(one));
  }

  // The largest sum of what a piece has at one of its nodes; null if a size is not known.
  most(rows) {
    if (rows.some(([size]) => size === null)) return null;
    const changes = new Map();
    for (const [size, first, last] of rows) {
      changes.set(first, (changes.get(first) || 0) + size);
      changes.set(last + 1, (changes.get(last + 1) || 0) - size);
    }
    let sum = 0;
    let most = 0;
    for (const at of [...changes.keys()].sort((one, other) => one - other)) {
      sum += changes.get(at);
      most = Math.max(most, sum);
    }
    return most;
  }

  sums(count, spans) {
    const samples = new Array(count + 1).fill(0);
    for (const [size, first, end] of spans) {
      samples[Math.max(first, 0)] += size;
      samples[Math.min(end, count)] -= size;
    }
    for (let at = 1; at < count; at += 1) samples[at] += samples[at - 1];
    samples.length = count;
    return samples;
  }

  curve(fn) {
    const count = fn.lines.length;
    const inBytes = fn.unit === "bytes";
    const all = [];
    const own = [];
    let owned = 0;
    let unknown = 0;
    if (inBytes) {
      for (const [storage, isGiven, spans] of fn.held) {
        const size = this.storages[storage];
        const isOwned = this.timeline.storages[storage][1] !== "";
        if (isOwned) owned += size || 0;
        for (let at = 0; at < spans.length && !isOwned && size !== null; at += 2) {
          const span = [size, spans[at], spans[at + 1]];
          all.push(span);
          if (!isGiven) own.push(span);
        }
      }
      for (const lane of fn.lanes) {
        const known = lane[7] !== null && lane[7].every((one) => this.storages[one] !== null);
        if (lane[1] !== 0 && !known) unknown += 1;
      }
    } else {
      for (const lane of fn.lanes) {
        if (lane[1] === 0) {
          owned += 1;
          continue;
        }
        const span = [1, lane[2], lane[4]];
        all.push(span);
        if (lane[1] === 2) own.push(span);
      }
    }
    const samples = this.sums(count, all);
    const inside = this.inside(fn, count, inBytes);
    this.needs.set(`${fn.unit} ${fn.name}`, this.need(this.sums(count, own), inside));
    const peak = samples.reduce((most, one) => Math.max(most, one), samples[0]);
    return { samples, inside, owned, unknown, peak, peakAt: samples.indexOf(peak), unit: fn.unit };
  }

  inside(fn, count, inBytes) {
    const found = new Array(count).fill(0);
    for (const [statement, kind, name] of fn.calls) {
      let need = null;
      if (kind === "function") need = this.needs.get(`${fn.unit} ${name}`);
      else if (inBytes) need = this.pieces.get(name);
      const before = found[statement];
      const known = need !== null && need !== undefined && before !== null;
      found[statement] = known ? Math.max(before, need) : null;
    }
    return found;
  }

  need(own, inside) {
    let most = 0;
    for (let at = 0; at < own.length; at += 1) {
      most = Math.max(most, own[at], (at ? own[at - 1] : 0) + (inside[at] || 0));
    }
    return most;
  }

  // What lanes of a function hold although nothing needs it.
  needless(lane, unit) {
    if (unit !== "bytes") return lane[5] ? 1 : 0;
    return lane[8].reduce((sum, one) => sum + (this.storages[one] || 0), 0);
  }

  // What the tensors of a lane lie in; null if that is not known.
  held(lane) {
    if (lane[7] === null) return null;
    const sizes = lane[7].map((one) => this.storages[one]);
    return sizes.includes(null) ? null : sizes.reduce((sum, one) => sum + one, 0);
  }
}
