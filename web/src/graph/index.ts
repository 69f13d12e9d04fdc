// SPDX-License-Identifier: Apache-2.0
// The graph view: every node in its piece's box, from the pieces as a whole to single nodes.
// This file puts the parts together; open scene.ts for the levels of detail, draw_*.ts for what each looks like.
import type { Bus } from "../bus";
import { showTipAt, zoomButtons, zoomStep } from "../canvas/controls";
import { listen, wheelKey } from "../canvas/gestures";
import { publish } from "../canvas/handle";
import { readPalette } from "../canvas/palette";
import { createSurface } from "../canvas/surface";
import { deviceCuts } from "../cuts";
import type { GraphData, Page, PieceData } from "../data";
import { html } from "../dom";
import { counted } from "../format";
import { hideTip } from "../tip";
import { Camera } from "./camera";
import { colouring, schemes, type Scheme } from "./colouring";
import { createCutLine, cutOfLink } from "./cut_line";
import { createDetails, spoken } from "./details";
import { drawEdges } from "./draw_edges";
import { drawLayerNames, drawLayers, layerGrounds } from "./draw_layers";
import { drawLinks, drawSteps, middleOfLink } from "./draw_links";
import { drawMarkedEdges, drawMarks } from "./draw_marks";
import { drawBoxes, drawDots, seenNodes } from "./draw_nodes";
import { drawPieceNames, drawPieces } from "./draw_pieces";
import { createKey } from "./key";
import { createLegend } from "./legend";
import { graphModel } from "./model";
import { describe, findUnder, type Target } from "./pointing";
import { levelsAt, mainLevel, type Levels, type Marks, type Scene } from "./scene";
import { createSearch } from "./search";
import {
  atBeginning, fitted, keptOver, panned, toScreenX, toScreenY, visible, zoomed, type Rectangle, type View,
} from "./viewport";

const fitMargin = 36; // pixels
const nodeMargin = 2; // units around the window that are drawn too: what reaches into it
const mostFitted = 64; // pixels to the unit: a tiny graph is not blown up
const readable = 84; // pixels to the unit at which a node is shown when the reader goes to it
const keyStep = 80; // pixels

export function graphLead(data: GraphData): string {
  if (data.pieces.length === 0) return "";
  return "A box is as large as the nodes in it need. The bar in it is its load; the largest load has a full bar.";
}

function helpText(): string {
  return matchMedia("(pointer: coarse)").matches
    ? "Two fingers move and zoom the graph, a tap shows what is there."
    : `Drag to move. ${wheelKey()} and the wheel, a pinch, or the wheel after a click zoom; a double click goes nearer.`;
}

export function mountGraph(host: HTMLElement, page: Page, bus: Bus): void {
  if (page.graph !== undefined) mount(host, page, page.graph, bus);
}

function mount(host: HTMLElement, page: Page, data: GraphData, bus: Bus): void {
  const model = graphModel(page, data);
  const marks: Marks = { selected: null, hovered: null, device: null, link: null, hits: [], cut: [] };
  const cuts = deviceCuts(page);
  let cut: number | null = null;
  let palette = readPalette();
  let colours = colouring("device", page, model, palette);
  const grounds = layerGrounds(model);
  let grouped = false; // by layer
  let untouched = true; // the reader has not moved yet: the whole graph stays in view when the window changes

  const stage = html("div", { class: "canvas-stage graph-stage" });
  stage.style.aspectRatio = `${data.width} / ${data.height}`;
  const status = html("p", { class: "canvas-spoken", role: "status" });
  const search = createSearch(data, searched, select);
  const details = createDetails(page, model, cuts, select, (chosen) => bus.emit("cut", chosen));
  const key = createKey(page, model, { colour, group });
  const bar = html("div", { class: "canvas-bar" }, search.element, key.controls, zoomButtons({ zoom: zoomCentre, fit }));
  const frame = html("div", { class: "graph-frame" }, stage, details.element);
  const help = html("p", { class: "note" }, helpText());
  const cutLine = createCutLine(page, bus);
  host.append(createLegend(page, model, bus), bar, key.element, frame, cutLine.element, help, status);
  const camera = new Camera({ x: 0, y: 0, scale: 1 });
  const surface = createSurface(stage, draw);
  const { canvas } = surface;
  canvas.setAttribute("role", "application");
  colour(schemes(model).includes("device") ? "device" : "time");

  // --- what is shown of the nodes ---

  function colour(scheme: Scheme): void {
    colours = colouring(scheme, page, model, palette);
    key.show(scheme, palette);
    canvas.setAttribute(
      "aria-label",
      `Graph of ${counted(model.nodes, "node")} and ${counted(data.edgeFrom.length, "edge")}, coloured by ${scheme}. ` +
        "Arrow keys move, plus and minus zoom, 0 fits, Enter selects the node in the middle, slash searches.",
    );
    surface.invalidate();
  }
  function group(byLayer: boolean): void {
    grouped = byLayer;
    surface.invalidate();
  }

  function scene(context: CanvasRenderingContext2D): Scene {
    const { view } = camera;
    return {
      context, page, model, palette, view, marks,
      colouring: colours,
      size: surface,
      ratio: surface.ratio,
      area: visible(view, surface, nodeMargin),
      levels: levels(),
    };
  }

  function levels(): Levels {
    // Pieces as a whole have no colours but those of their devices, and no layers.
    const pieces = model.data.pieces.length > 0 && colours.scheme === "device" && !grouped;
    return levelsAt(camera.view.scale, whole(surface.width, surface.height).scale, pieces);
  }

  function draw(context: CanvasRenderingContext2D, width: number, height: number, now: number): boolean {
    const moving = camera.advance(now);
    if (untouched) camera.jump(whole(width, height));
    const seen = scene(context);
    drawLinks(seen);
    drawPieces(seen);
    drawSteps(seen);
    if (grouped) drawLayers(seen, grounds);
    drawEdges(seen);
    drawMarkedEdges(seen);
    if (seen.levels.pieces < 1) {
      const nodes = seenNodes(seen);
      drawDots(seen, nodes);
      drawBoxes(seen, nodes);
      if (grouped) drawLayerNames(seen, grounds);
    }
    drawMarks(seen);
    drawPieceNames(seen);
    return moving;
  }

  // --- moving ---

  function all(): Rectangle {
    return { left: 0, top: 0, right: data.width, bottom: data.height };
  }
  function whole(width: number, height: number): View {
    return fitted(all(), { width, height }, fitMargin, mostFitted);
  }
  // The details cover the right of a wide window: what the reader goes to is shown in the middle of the rest.
  function covered(): number {
    const overlaid = getComputedStyle(details.element).position === "absolute";
    return details.element.hidden || !overlaid ? 0 : details.element.offsetWidth;
  }
  function beside(view: View): View {
    return { ...view, x: view.x + covered() / 2 / view.scale };
  }
  function move(view: View): void {
    untouched = false;
    camera.jump(view);
    hideTip();
    surface.invalidate();
  }
  function fly(view: View): void {
    untouched = false;
    camera.fly(view, surface);
    hideTip();
    surface.invalidate();
  }
  function fit(): void {
    fly(beside(whole(surface.width - covered(), surface.height)));
  }
  function zoomedAt(view: View, factor: number, x: number, y: number): View {
    return zoomed(view, surface, factor, x, y, all(), whole(surface.width, surface.height));
  }
  // The details may cover as much of the right as they take.
  function pannedBy(view: View, dx: number, dy: number): View {
    const box = all();
    return keptOver(panned(view, dx, dy), { ...box, right: box.right + covered() / 2 / view.scale });
  }
  function zoomCentre(factor: number): void {
    fly(zoomedAt(camera.goal, factor, surface.width / 2, surface.height / 2));
  }
  function bringIntoSight(): void {
    stage.scrollIntoView({ block: "nearest" });
  }
  function flyToNode(node: number): void {
    fly(beside({ x: data.x[node]!, y: data.y[node]!, scale: Math.max(camera.goal.scale, readable) }));
    bringIntoSight();
  }
  function boxOf(piece: PieceData): Rectangle {
    return { left: piece.left, top: piece.top, right: piece.left + piece.width, bottom: piece.top + piece.height };
  }
  // All of it.
  function flyToPiece(number: number): void {
    const size = { width: surface.width - covered(), height: surface.height };
    fly(beside(fitted(boxOf(data.pieces[number]!), size, fitMargin, mostFitted)));
  }
  // All of their ends.
  function flyToEdges(edges: readonly number[]): void {
    const box: Rectangle = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (const edge of edges) {
      for (const node of [data.edgeFrom[edge]!, data.edgeTo[edge]!]) {
        box.left = Math.min(box.left, model.x[node]! - 0.5);
        box.right = Math.max(box.right, model.x[node]! + 0.5);
        box.top = Math.min(box.top, model.y[node]! - 0.5);
        box.bottom = Math.max(box.bottom, model.y[node]! + 0.5);
      }
    }
    const size = { width: surface.width - covered(), height: surface.height };
    fly(beside(fitted(box, size, fitMargin, mostFitted)));
  }
  // As near as its names can be read: all of it, or where it begins.
  function readPiece(number: number): void {
    const piece = data.pieces[number];
    if (piece === undefined) return;
    const size = { width: surface.width - covered(), height: surface.height };
    fly(beside(atBeginning(boxOf(piece), size, fitMargin, readable, piece.backward)));
    bringIntoSight();
  }

  // --- selecting ---

  let stay = false; // the node was picked in this view: it is in sight
  function select(node: number | null): void {
    bus.emit("node", node);
  }
  function chooseCut(chosen: number | null): void {
    stay = true;
    bus.emit("cut", chosen);
    stay = false;
  }
  function selectInSight(node: number | null): void {
    stay = true;
    bus.emit("node", node);
    stay = false;
  }
  function searched(): void {
    marks.hits = search.hits;
    surface.invalidate();
  }
  bus.on("node", (node) => {
    marks.selected = node;
    details.show(node);
    status.textContent = spoken(page, model, node);
    if (node !== null && !stay) flyToNode(node);
    surface.invalidate();
  });
  bus.on("device", (device) => {
    marks.device = device;
    surface.invalidate();
  });
  bus.on("cut", (chosen) => {
    cut = chosen;
    marks.cut = chosen === null ? [] : cuts[chosen]!.tensors.flatMap((tensor) => tensor.edges);
    cutLine.show(chosen);
    if (marks.cut.length > 0 && !stay) flyToEdges(marks.cut);
    surface.invalidate();
  });
  bus.on("piece", (piece) => {
    if (piece !== null) readPiece(piece);
  });
  bus.on("theme", () => {
    palette = readPalette();
    colour(colours.scheme);
  });

  // --- pointer and keys ---

  function under(x: number, y: number): Target {
    return findUnder(scene(canvas.getContext("2d")!), x, y);
  }
  function point(target: Target): void {
    const node = target.kind === "node" ? target.index : null;
    const link = target.kind === "link" ? target.index : null;
    canvas.style.cursor = target.kind === "none" ? "" : "pointer";
    if (node === marks.hovered && link === marks.link) return;
    marks.hovered = node;
    marks.link = link;
    surface.invalidate();
  }
  listen(canvas, {
    pan: (dx, dy) => move(pannedBy(camera.view, dx, dy)),
    zoom: (factor, x, y) => move(zoomedAt(camera.view, factor, x, y)),
    hover(x, y) {
      const target = under(x, y);
      point(target);
      const text = describe(page, model, target);
      if (text === null) hideTip();
      else showTipAt(canvas, x, y, text);
    },
    leave() {
      point({ kind: "none" });
      hideTip();
    },
    tap(x, y) {
      const target = under(x, y);
      if (target.kind === "piece") {
        bus.toggleMark(model.data.pieces[target.index]!.device);
      } else if (target.kind === "node") selectInSight(target.index);
      else if (target.kind === "link") chooseCut(cutOfLink(model, cuts, target.index));
      else if (target.kind === "none") {
        selectInSight(null);
        if (cut !== null) chooseCut(null);
        if (bus.marked !== null) bus.mark(null);
      }
    },
    doubleTap(x, y) {
      const target = under(x, y);
      if (target.kind === "piece") {
        bus.toggleMark(model.data.pieces[target.index]!.device); // as the first of the two taps has done
        flyToPiece(target.index);
      } else fly(zoomedAt(camera.goal, 2, x, y));
    },
  });

  const keys: Record<string, () => void> = {
    ArrowLeft: () => fly(pannedBy(camera.goal, keyStep, 0)),
    ArrowRight: () => fly(pannedBy(camera.goal, -keyStep, 0)),
    ArrowUp: () => fly(pannedBy(camera.goal, 0, keyStep)),
    ArrowDown: () => fly(pannedBy(camera.goal, 0, -keyStep)),
    "+": () => zoomCentre(zoomStep),
    "=": () => zoomCentre(zoomStep),
    "-": () => zoomCentre(1 / zoomStep),
    "0": fit,
    "/": () => search.focus(),
    Escape: () => {
      selectInSight(null);
      if (cut !== null) chooseCut(null);
    },
    Enter: () => selectInSight(model.grid.nearest(camera.goal.x, camera.goal.y, surface.width / camera.goal.scale)),
  };
  canvas.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });

  publish({
    graph: {
      get scale() { return camera.view.scale; },
      get least() { return whole(surface.width, surface.height).scale; },
      get marked() { return bus.marked; },
      get level() { return mainLevel(levels()); },
      get moving() { return camera.moving; },
      get selected() { return marks.selected; },
      get device() { return marks.device; },
      get hits() { return search.hits.length; },
      get cut() { return cut; },
      get cutEdges() { return marks.cut.length; },
      get colours() { return colours.of; },
      get grouped() { return grouped; },
      get frames() { return surface.frames; },
      get frameTime() { return surface.lastFrame; },
      arrows: () => {
        const seen = scene(canvas.getContext("2d")!);
        return model.links.map(({ from, to }, index) => ({ from, to, ...middleOfLink(seen, index) }));
      },
      place: (node) => ({
        x: toScreenX(camera.view, surface, model.x[node]!),
        y: toScreenY(camera.view, surface, model.y[node]!),
      }),
    },
  });
}
