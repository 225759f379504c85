// SPDX-License-Identifier: Apache-2.0
// Zooms and moves the timelines of a scenario together, and says what is under the pointer. The page is complete without it.
"use strict";

const UNITS_PER_US = 10; // timelines.cpp: time_unit
const UNITS_PER_MS = 1000 * UNITS_PER_US;

// 1, 2 or 5 times a power of ten, as axis.h has it.
function tickStep(span) {
  const power = 10 ** Math.floor(Math.log10(span));
  const steps = span / power;
  return steps < 1.6 ? power / 5 : steps < 4 ? power / 2 : steps < 8 ? power : 2 * power;
}

function add(drawing, name, attributes, text) {
  const made = document.createElementNS(drawing.namespaceURI, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  drawing.append(made);
  return made;
}

// The pieces of a path, in its units: [begin, length].
function piecesOf(path) {
  return [...path.getAttribute("d").matchAll(/M(\d+) [\d.]+h(\d+)/g)].map(([, begin, length]) => [+begin, +length]);
}

// The one around `at`.
function pieceAt(path, at) {
  return piecesOf(path).find(([begin, length]) => begin <= at && at <= begin + length);
}

class Timelines {
  constructor(root) {
    this.drawings = [...root.querySelectorAll(".stretched")];
    if (this.drawings.length === 0) return;
    this.root = root;
    this.all = this.drawings[0].viewBox.baseVal.width;
    this.begin = 0;
    this.width = this.all;
    this.addControls();
    for (const drawing of this.drawings) this.listen(drawing);
  }

  addControls() {
    const bar = document.createElement("div");
    bar.className = "controls";
    const button = (text, label, action) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      made.setAttribute("aria-label", label);
      made.title = label;
      made.addEventListener("click", action);
      bar.append(made);
    };
    button("+", "zoom in", () => this.zoom(0.5, 0.5));
    button("\u2212", "zoom out", () => this.zoom(2, 0.5));
    button("\u2190", "earlier", () => this.show(this.begin - this.width / 2, this.width));
    button("\u2192", "later", () => this.show(this.begin + this.width / 2, this.width));
    button("all", "show all", () => this.show(0, this.all));
    this.output = document.createElement("output");
    this.output.textContent = "double click: zoom in; drag: move";
    bar.append(this.output);
    this.root.prepend(bar);
  }

  listen(drawing) {
    // The box of an inner drawing is that of what is in it, so its place is that of its frame.
    const partOf = (event) => {
      const outer = drawing.ownerSVGElement;
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(outer.getScreenCTM().inverse());
      return (point.x - drawing.x.baseVal.value) / drawing.width.baseVal.value;
    };
    let held = null;
    drawing.addEventListener("dblclick", (event) => this.zoom(0.5, partOf(event)));
    drawing.addEventListener("pointerdown", (event) => {
      held = { part: partOf(event), begin: this.begin };
      drawing.setPointerCapture(event.pointerId);
    });
    drawing.addEventListener("pointermove", (event) => {
      if (held) this.show(held.begin - (partOf(event) - held.part) * this.width, this.width);
      else this.say(event.target, this.begin + partOf(event) * this.width);
    });
    for (const end of ["pointerup", "pointercancel"]) drawing.addEventListener(end, () => (held = null));
  }

  // Around the place `part` (0 to 1) of what is seen.
  zoom(factor, part) {
    const width = Math.min(this.width * factor, this.all);
    this.show(this.begin + (this.width - width) * part, width);
  }

  show(begin, width) {
    this.width = Math.max(width, 200);
    this.begin = Math.min(Math.max(begin, 0), this.all - this.width);
    for (const drawing of this.drawings) {
      const height = drawing.viewBox.baseVal.height;
      drawing.setAttribute("viewBox", `${this.begin} 0 ${this.width} ${height}`);
    }
    this.root.classList.toggle("apart", this.width * 8 <= this.all);
    for (const timeline of this.root.querySelectorAll(".timeline > svg")) this.drawTicks(timeline);
  }

  drawTicks(timeline) {
    for (const old of timeline.querySelectorAll(".tick")) old.remove();
    const axis = timeline.querySelector(":scope > line.axis");
    const left = +axis.getAttribute("x1");
    const pixels = +axis.getAttribute("x2") - left;
    const y = +axis.getAttribute("y1");
    const step = tickStep(this.width / UNITS_PER_MS);
    const end = (this.begin + this.width) / UNITS_PER_MS;
    for (let i = Math.ceil(this.begin / UNITS_PER_MS / step); i * step <= end; ++i) {
      const x = left + ((i * step * UNITS_PER_MS - this.begin) / this.width) * pixels;
      add(timeline, "line", { class: "axis tick", x1: x, x2: x, y1: y, y2: y + 4 });
      add(timeline, "text", { class: "small tick", x, y: y + 16, "text-anchor": "middle" }, String(+(i * step).toFixed(6)));
    }
  }

  say(target, at) {
    const piece = target.matches(".pieces") ? pieceAt(target, at) : undefined;
    this.output.textContent = piece
      ? `${target.querySelector("title").textContent}, ${(piece[1] / UNITS_PER_US).toFixed(1)} us from ${(piece[0] / UNITS_PER_MS).toFixed(4)} ms`
      : `${(at / UNITS_PER_MS).toFixed(4)} ms`;
  }
}

for (const root of document.querySelectorAll(".timelines")) new Timelines(root);
