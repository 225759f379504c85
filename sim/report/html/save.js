// SPDX-License-Identifier: Apache-2.0
// Saves a figure as SVG, and the numbers that it draws as CSV, from the page itself.
"use strict";

const SAVED_WIDTH = 1200; // of drawings side by side

// The page's rules for what is drawn in a figure, in the colours for a white ground and without variables, which
// many programs do not know.
function rulesOf(figure) {
  const rules = [...document.styleSheets[0].cssRules].filter((rule) => rule.selectorText);
  const colours = rules.find((rule) => rule.selectorText === ":root").style;
  return rules
    .filter((rule) => figure.querySelector(`svg :is(${rule.selectorText})`))
    .map((rule) => rule.cssText.replace(/var\((--\w+)\)/g, (_, name) => colours.getPropertyValue(name).trim()))
    .join("\n");
}

// Places boxes from left to right, and below each other where they would be too wide.
class Flow {
  constructor() {
    this.x = this.y = this.bottom = this.width = 0;
  }
  place(width, height) {
    if (this.x > 0 && this.x + width > SAVED_WIDTH) this.newRow();
    const at = { x: this.x, y: this.y };
    this.x += width;
    this.width = Math.max(this.width, this.x);
    this.bottom = Math.max(this.bottom, this.y + height);
    return at;
  }
  newRow() {
    this.x = 0;
    this.y = this.bottom;
  }
}

// Legend and all drawings of a figure as one.
function svgOf(figure) {
  const root = document.createElementNS(figure.querySelector("svg").namespaceURI, "svg");
  add(root, "style", {}, rulesOf(figure));
  const ground = add(root, "rect", { fill: "#fff" });
  const flow = new Flow();
  for (const entry of figure.querySelectorAll(".legend li")) {
    const text = entry.textContent.trim();
    const { x, y } = flow.place(40 + 7 * text.length, 22);
    const css = entry.querySelector("rect").getAttribute("class");
    add(root, "rect", { class: css, x: x + 4, y: y + 4, width: 14, height: 14 });
    add(root, "text", { x: x + 24, y: y + 15 }, text);
  }
  flow.newRow();
  for (const drawing of figure.querySelectorAll("svg[role=img]")) {
    const heading = drawing.parentElement.querySelector("h4");
    const above = heading ? 20 : 0;
    const [width, height] = ["width", "height"].map((side) => Number(drawing.getAttribute(side)));
    const { x, y } = flow.place(width, height + above);
    if (heading) add(root, "text", { class: "strong", x: x + 4, y: y + 15 }, heading.textContent);
    const copy = drawing.cloneNode(true);
    copy.setAttribute("x", x);
    copy.setAttribute("y", y + above);
    root.append(copy);
  }
  for (const box of [root, ground]) {
    box.setAttribute("width", flow.width);
    box.setAttribute("height", flow.bottom);
  }
  root.setAttribute("viewBox", `0 0 ${flow.width} ${flow.bottom}`);
  return new XMLSerializer().serializeToString(root);
}

// Of timelines: a row for each piece, from their paths.
function csvOfTimelines(figure) {
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  const rows = ['"policy","row","domain","from_us","to_us"'];
  for (const timeline of figure.querySelectorAll(".timeline"))
    for (const path of timeline.querySelectorAll(".pieces")) {
      const [, row, domain] = path.textContent.match(/^(.*?): (.*)$/s);
      const texts = [timeline.dataset.policy, row, domain].map(quoted).join(",");
      for (const [begin, length] of piecesOf(path))
        rows.push(`${texts},${begin / UNITS_PER_US},${(begin + length) / UNITS_PER_US}`);
    }
  return rows.join("\n") + "\n";
}

function csvOf(figure) {
  const data = figure.querySelector("template");
  return (data ? data.content.textContent : csvOfTimelines(figure)).replaceAll("\n", "\r\n");
}

function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000); // when the browser has read it
}

function addButtons(figure) {
  const bar = document.createElement("div");
  bar.className = "save";
  const titles = [figure.closest("section").querySelector("h2"), figure.querySelector("h3")];
  const name = titles.map((title) => title.textContent.replace(/[^\w.-]+/g, "-")).join("-");
  const button = (text, type, contentOf) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.title = `save as ${text}`;
    made.addEventListener("click", () => save(`${name}.${text.toLowerCase()}`, type, contentOf(figure)));
    bar.append(" ", made);
  };
  button("SVG", "image/svg+xml", svgOf);
  button("CSV", "text/csv", csvOf);
  figure.querySelector("figcaption").prepend(bar);
}

for (const figure of document.querySelectorAll("figure")) if (figure.querySelector("svg[role=img]")) addButtons(figure);
