// Beside the code, all of it at a glance: findings, differences, what was searched for, and
// where the name in the light stands.

const ruler = {
  marks() {
    const found = [];
    const mark = (at, kind) => {
      if (at >= 0) found.push([at, kind]);
    };
    const at = (index, block) => code.rows.place(index, block);
    if (page.diff) {
      page.diff.differences.forEach((one, index) => {
        mark(code.rows.pairOf[index], one.category.replace(/ /g, "-"));
      });
    } else {
      for (const one of side().data.findings) mark(at(0, one.block), one.severity);
    }
    for (const hit of search.hits) mark(at(hit.side, hit.block), "hit");
    if (page.lit) page.lit.blocks.forEach((block) => mark(at(page.lit.side, block), "use"));
    mark(at(page.side, page.block), "now");
    return found;
  },

  draw() {
    if (!code.rows) return;
    const box = $("ruler");
    const height = box.clientHeight;
    const seen = new Set();
    const parts = [];
    for (const [at, kind] of ruler.marks()) {
      const y = Math.round((at / Math.max(code.rows.count, 1)) * (height - 3));
      if (seen.has(`${y} ${kind}`)) continue;
      seen.add(`${y} ${kind}`);
      parts.push(draw("rect", { class: kind, x: kind === "hit" || kind === "use" ? 4 : 1, y, width: kind === "now" ? 8 : 5, height: kind === "now" ? 1.5 : 3 }));
    }
    box.replaceChildren(draw("svg", { width: 10, height }, ...parts));
  },

  start() {
    const later = atNextFrame(ruler.draw);
    for (const event of ["rows", "searched", "lit", "moved"]) when(event, later);
    new ResizeObserver(later).observe($("ruler"));
    $("ruler").addEventListener("click", (event) => {
      const box = $("ruler").getBoundingClientRect();
      const part = (event.clientY - box.top) / box.height;
      $("code").scrollTop = part * code.rows.count * HEIGHT - $("code").clientHeight / 2;
    });
  },
};
