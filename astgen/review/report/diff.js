// Two programs beside each other: badges, and the way from one difference to the next.

const SHORT = {
  "signature changed": "signature",
  "call added": "added",
  "call removed": "removed",
  "call changed": "changed",
  "constant changed": "constant",
  "order changed": "moved",
  "result changed": "result",
  "del moved": "del moved",
};

const diff = {
  at: -1,

  badges(row) {
    const box = make("span", { class: "badges" });
    for (const index of row.differences) {
      const one = page.diff.differences[index];
      const name = one.category.replace(/ /g, "-");
      const says = one.detail ? `${one.category}: ${one.detail}` : one.category;
      const now = index === diff.at ? " now" : "";
      box.append(
        make("button", {
          class: `badge ${name}${now}`,
          title: says,
          tabindex: "-1",
          on: { click: () => diff.go(index) },
        }, SHORT[one.category] || one.category),
      );
    }
    return box;
  },

  go(index) {
    const one = page.diff.differences[index];
    if (!one) return;
    diff.at = index;
    $("which").textContent = `${grouped(index + 1)} of ${grouped(page.diff.differences.length)}`;
    const isLeft = one.left >= 0;
    go(isLeft ? 0 : 1, isLeft ? one.left : one.right, { center: true });
    panes.difference(index);
    code.show();
  },

  next(step) {
    const count = page.diff.differences.length;
    if (!count) return;
    let to = diff.at + step;
    if (diff.at < 0) to = step > 0 ? 0 : count - 1;
    diff.go((to + count) % count);
  },

  start() {
    $("next").addEventListener("click", () => findings.next(1));
    $("previous").addEventListener("click", () => findings.next(-1));
    when("opened", () => {
      diff.at = -1;
      document.body.classList.toggle("is-diff", page.diff !== null);
    });
  },
};

// The next finding, or the next difference where there are two programs.
const findings = {
  at: -1,

  next(step) {
    if (page.diff) {
      diff.next(step);
      return;
    }
    const all = side().data.findings;
    if (!all.length) return;
    let to = findings.at + step;
    if (findings.at < 0) to = step > 0 ? 0 : all.length - 1;
    findings.go((to + all.length) % all.length);
  },

  go(index) {
    findings.at = index;
    const all = side().data.findings;
    $("which").textContent = `${grouped(index + 1)} of ${grouped(all.length)}`;
    go(page.side, all[index].block, { unfold: true, center: true });
  },

  start() {
    when("opened", () => {
      findings.at = -1;
      const count = page.diff ? page.diff.differences.length : side().data.findings.length;
      const what = page.diff ? "difference" : "finding";
      $("steps").hidden = count === 0;
      $("which").textContent = plural(count, what);
      $("next").setAttribute("aria-label", `Next ${what}`);
      $("previous").setAttribute("aria-label", `Previous ${what}`);
    });
  },
};
