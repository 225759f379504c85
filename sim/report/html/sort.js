// SPDX-License-Identifier: Apache-2.0
// Sorts a table of policies by the column whose head is clicked; a second click sorts it the other way.
"use strict";

// By policy as text, by a metric as a number. Policies without a value ("-") are the last either way.
function sortRows(table, column, ascending) {
  const valueOf = (row) => {
    const cell = row.cells[column];
    if (cell.tagName === "TH") return cell.textContent;
    return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
  };
  const compared = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    const order = a < b ? -1 : a > b ? 1 : 0;
    return ascending ? order : -order;
  };
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => compared(valueOf(a), valueOf(b))));
}

for (const table of document.querySelectorAll(".summary table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = "sort";
    button.textContent = head.textContent;
    button.addEventListener("click", () => {
      const ascending = head.getAttribute("aria-sort") !== "ascending";
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      sortRows(table, column, ascending);
    });
    head.replaceChildren(button);
  });
}
