// The layer tree: groups are closed at first, so repeated layers are one line.

const tree = {
  build() {
    const box = $("tree");
    tree.open = new Set();
    tree.of = new Map();
    tree.number = 0;
    const { nodes } = side().data.tree;
    const own = page.sides.indexOf(side()) === 0 ? "left" : "right";
    const changed = (page.diff ? page.diff.differences : []).map((one) => one[own]).filter((block) => block >= 0);
    const walk = (node, parent, level) => {
      node.id = `node-${(tree.number += 1)}`;
      node.parent = parent;
      node.level = level;
      tree.of.set(node.id, node);
      node.changed = changed.some((block) => node.spans.some(([start, end]) => start <= block && block < end));
      // What is neither repeated nor long is open, and what differs on the two sides.
      const isOpen = node.changed || (node.kind !== "group" && level < 3);
      if (node.nodes.length && isOpen) tree.open.add(node.id);
      node.nodes.forEach((one) => walk(one, node, level + 1));
    };
    nodes.forEach((node) => walk(node, null, 1));
    $("layers-how").textContent = {
      modules: "by module",
      rows: "by repeated statements",
      functions: "by function",
    }[side().data.tree.kind];
    tree.at = nodes.length ? nodes[0].id : "";
    box.replaceChildren();
    tree.show();
  },

  // The nodes that can be seen, in order.
  seen() {
    const found = [];
    const walk = (node) => {
      found.push(node);
      if (tree.open.has(node.id)) node.nodes.forEach(walk);
    };
    side().data.tree.nodes.forEach(walk);
    return found;
  },

  // The innermost seen node that a block is in.
  current() {
    let found = null;
    for (const node of tree.seen()) {
      const inside = node.spans.some(([start, end]) => start <= page.block && page.block < end);
      if (inside && (!found || node.level > found.level)) found = node;
    }
    return found;
  },

  show() {
    const current = tree.current();
    const rows = tree.seen().map((node) => tree.row(node, node === current));
    $("tree").replaceChildren(...rows);
    if (!rows.length) $("tree").append(make("p", { class: "empty" }, "There is nothing to fold."));
  },

  row(node, isCurrent) {
    const open_ = tree.open.has(node.id);
    const classes = ["node", node.kind];
    if (node.odd) classes.push("odd");
    if (isCurrent) classes.push("now");
    if (page.folded.has(node)) classes.push("folded");
    const element = make("div", {
      class: classes.join(" "),
      role: "treeitem",
      id: node.id,
      "aria-level": node.level,
      "aria-expanded": node.nodes.length ? String(open_) : null,
      "aria-current": isCurrent ? "true" : null,
      tabindex: node.id === tree.at ? "0" : "-1",
      title: node.odd ? `${node.note}` : node.note,
    });
    element.style.paddingLeft = `${(node.level - 1) * 13 + 4}px`;
    element.append(
      make("span", { class: "twist", "aria-hidden": "true" }, node.nodes.length ? (open_ ? "\u25be" : "\u25b8") : ""),
      make("span", { class: "name" }, clip(node.label, 120)),
      node.odd ? make("span", { class: "tag" }, "differs") : "",
      node.changed ? make("span", { class: "tag" }, "changed") : "",
      make("span", { class: "many" }, grouped(node.count)),
    );
    return element;
  },

  toggle(node, wanted) {
    if (!node.nodes.length) return;
    const open_ = wanted === undefined ? !tree.open.has(node.id) : wanted;
    if (open_) tree.open.add(node.id);
    else tree.open.delete(node.id);
    tree.show();
  },

  focus(node) {
    tree.at = node.id;
    tree.show();
    const element = $(node.id);
    if (element) element.focus();
  },

  visit(node) {
    tree.at = node.id;
    go(page.side, node.spans[0][0], { unfold: !page.folded.has(node), center: true });
    if (narrow.matches) panes.open("code");
  },

  key(event) {
    const seen = tree.seen();
    const at = seen.findIndex((node) => node.id === tree.at);
    const node = seen[at];
    if (!node) return;
    const moves = {
      ArrowDown: () => tree.focus(seen[Math.min(at + 1, seen.length - 1)]),
      ArrowUp: () => tree.focus(seen[Math.max(at - 1, 0)]),
      Home: () => tree.focus(seen[0]),
      End: () => tree.focus(seen[seen.length - 1]),
      Enter: () => tree.visit(node),
      " ": () => tree.visit(node),
      ArrowRight: () => (tree.open.has(node.id) || !node.nodes.length
        ? tree.focus(seen[Math.min(at + 1, seen.length - 1)])
        : (tree.toggle(node, true), tree.focus(node))),
      ArrowLeft: () => (tree.open.has(node.id)
        ? (tree.toggle(node, false), tree.focus(node))
        : node.parent && tree.focus(node.parent)),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    moves[event.key]();
  },

  // The nodes around the current block that can be folded, the innermost first.
  around() {
    const found = [];
    const walk = (node) => {
      if (!node.spans.some(([start, end]) => start <= page.block && page.block < end)) return;
      if (node.spans.every(([start, end]) => end - start > 1)) found.unshift(node);
      node.nodes.forEach(walk);
    };
    side().data.tree.nodes.forEach(walk);
    return found;
  },

  fold() {
    if (page.diff) return;
    const node = tree.around().find((one) => !page.folded.has(one) && !tree.hidden(one));
    if (!node) return;
    page.folded.add(node);
    tree.changed(node);
  },

  // Whether a node is inside of one that is folded.
  hidden(node) {
    for (let one = node.parent; one; one = one.parent) if (page.folded.has(one)) return true;
    return false;
  },

  unfold() {
    const node = tree.around().reverse().find((one) => page.folded.has(one));
    if (!node) return;
    page.folded.delete(node);
    tree.changed(node);
  },

  changed(node) {
    code.rebuild();
    if (node) go(page.side, node.spans[0][0], {});
    tree.show();
    tree.button();
  },

  // All repetitions behind the first one, which the others are equal to.
  repeated() {
    return [...tree.of.values()].filter(
      (node) => node.parent && node.parent.kind === "group" && node.parent.nodes[0] !== node,
    );
  },

  foldAll() {
    const all = tree.repeated();
    if (all.every((node) => page.folded.has(node))) page.folded.clear();
    else all.forEach((node) => page.folded.add(node));
    tree.changed(null);
    code.reveal(page.side, page.block, {});
  },

  button() {
    const all = page.diff ? [] : tree.repeated();
    const pressed = all.length > 0 && all.every((node) => page.folded.has(node));
    $("fold-all").hidden = all.length === 0;
    $("fold-all").setAttribute("aria-pressed", String(pressed));
  },

  start() {
    const box = $("tree");
    box.addEventListener("keydown", tree.key);
    box.addEventListener("click", (event) => {
      const element = event.target.closest(".node");
      if (!element) return;
      const node = tree.of.get(element.id);
      if (event.target.closest(".twist")) tree.toggle(node);
      else tree.visit(node);
    });
    $("fold-all").addEventListener("click", tree.foldAll);
    when("opened", () => { tree.build(); tree.button(); });
    when("side", tree.build);
    when("moved", atNextFrame(tree.show));
  },
};
