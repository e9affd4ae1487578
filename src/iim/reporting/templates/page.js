"use strict";
(() => {
  // Without this script the headings of tables are plain text; with it, they are buttons that sort.
  const isNumber = (head) => head.dataset.kind === "number";
  const valueOf = (row, place) => {
    const text = row.cells[place].getAttribute("data-value");
    return text === null || text === "" ? null : Number(text);
  };
  const compare = (place, numeric, sign) => (one, other) => {
    if (!numeric) {
      const words = [one, other].map((row) => row.cells[place].textContent.trim());
      return sign * words[0].localeCompare(words[1], "en", { numeric: true });
    }
    const [left, right] = [valueOf(one, place), valueOf(other, place)];
    if (left === null || right === null) {
      // Missing values stay last, ascending and descending.
      return (left === null) - (right === null);
    }
    return sign * (left - right);
  };
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    if (rows.length < 2) {
      continue;
    }
    heads.forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const rising = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", rising ? "ascending" : "descending");
        body.append(...rows.slice().sort(compare(place, isNumber(head), rising ? 1 : -1)));
      });
    });
  }
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((one) => one.setAttribute("open", ""));
  });
  window.addEventListener("afterprint", () => opened.forEach((one) => one.removeAttribute("open")));
})();
