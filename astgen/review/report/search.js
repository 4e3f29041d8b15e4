// Search over all texts, and over the names, types and modules that go with them.

const search = {
  query: "",
  hits: [],
  at: -1,
  lines: [],

  isHit(index, line) {
    return search.query !== "" && search.lines[index] !== undefined && search.lines[index].has(line);
  },

  isFound(part) {
    if (search.query === "" || part.kind === "_") return false;
    const { query } = search;
    return part.text.toLowerCase().includes(query) || part.shown.toLowerCase().includes(query);
  },

  // What was typed last; nothing happens if that was searched for already.
  typed() {
    if ($("search").value.trim().toLowerCase() !== search.query) search.run();
  },

  run() {
    search.query = $("search").value.trim().toLowerCase();
    search.hits = [];
    search.at = -1;
    search.lines = page.sides.map((there) => search.over(there));
    page.sides.forEach((there, index) => {
      for (const line of [...search.lines[index]].sort((one, other) => one - other)) {
        search.hits.push({ side: index, line, block: there.blockOf[line] });
      }
    });
    const count = search.hits.length;
    $("found").textContent = search.query === "" ? "" : grouped(count);
    $("found").setAttribute("aria-label", search.query === "" ? "" : `${count} lines found`);
    $("search").classList.toggle("nothing", search.query !== "" && count === 0);
    code.show();
    tell("searched");
  },

  over(there) {
    const found = new Set();
    const { query } = search;
    if (query === "") return found;
    if (!there.lower) there.lower = there.lines.map((line) => line.toLowerCase());
    there.lower.forEach((line, at) => {
      if (line.includes(query)) found.add(at);
    });
    // Lines with names that have it in their short form only.
    const names = [...there.short].filter(
      ([name, short]) => short.toLowerCase().includes(query) && !name.toLowerCase().includes(query),
    );
    const wanted = new Set(names.map(([name]) => name));
    if (wanted.size) {
      there.lines.forEach((line, at) => {
        if (there.parts(at).some((part) => part.kind === "v" && wanted.has(part.text))) found.add(at);
      });
    }
    const words = new Set();
    there.words.forEach((word, index) => {
      if (word.toLowerCase().includes(query)) words.add(index);
    });
    const { node, type, module: module_ } = there.data.origins;
    for (let block = 0; words.size && block < there.count; block += 1) {
      if (words.has(node[block]) || words.has(type[block]) || words.has(module_[block])) {
        found.add(there.blocks.line[block]);
      }
    }
    return found;
  },

  next(step) {
    const count = search.hits.length;
    if (!count) return;
    if (search.at < 0) {
      const behind = search.hits.findIndex((hit) => hit.side === page.side && hit.block >= page.block);
      search.at = step > 0 ? Math.max(behind, 0) : (Math.max(behind, 0) + count - 1) % count;
    } else {
      search.at = (search.at + step + count) % count;
    }
    const hit = search.hits[search.at];
    $("found").textContent = `${grouped(search.at + 1)} of ${grouped(count)}`;
    if (narrow.matches) panes.open("code");
    go(hit.side, hit.block, { unfold: true, keepSearch: true });
  },

  start() {
    const input = $("search");
    input.addEventListener("input", atNextFrame(search.typed));
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        search.typed();
        search.next(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        input.value = "";
        search.run();
        input.blur();
        $("code").focus();
      }
      event.stopPropagation();
    });
    when("opened", search.run);
  },
};
