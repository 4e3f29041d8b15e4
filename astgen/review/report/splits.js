// The lines between panes can be moved, with a pointer or with arrow keys.

const splits = {
  // For each line: the pane that it sizes, and where a larger one is.
  all: {
    "split-layers": { variable: "--layers", of: () => $("pane-layers").clientWidth, axis: "clientX", sign: 1, least: 90 },
    "split-side": { variable: "--side", of: () => $("tabs").clientWidth, axis: "clientX", sign: -1, least: 180 },
    "split-memory": { variable: "--memory", of: () => $("memory").clientHeight, axis: "clientY", sign: -1, least: 90 },
  },

  set(split, size) {
    const most = (split.axis === "clientX" ? innerWidth : innerHeight) * 0.6;
    const wanted = Math.min(Math.max(size, split.least), most);
    $("main").style.setProperty(split.variable, `${Math.round(wanted)}px`);
  },

  start() {
    for (const [id, split] of Object.entries(splits.all)) {
      const handle = $(id);
      handle.addEventListener("pointerdown", (event) => {
        const from = event[split.axis];
        const size = split.of();
        const move = (moved) => splits.set(split, size + split.sign * (moved[split.axis] - from));
        handle.setPointerCapture(event.pointerId);
        handle.addEventListener("pointermove", move);
        handle.addEventListener("pointerup", () => handle.removeEventListener("pointermove", move), { once: true });
      });
      handle.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 16, ArrowLeft: -16, ArrowDown: 16, ArrowUp: -16 }[event.key];
        if (!by) return;
        splits.set(split, split.of() + split.sign * by);
        event.preventDefault();
        event.stopPropagation();
      });
    }
    new ResizeObserver(atNextFrame(() => chart.follow())).observe($("lanes"));
  },
};
