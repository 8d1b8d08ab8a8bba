import { seededRandom } from "../../bench/results/seeded_random.ts";
import { messageDelays } from "../../scenarios/concurrency/message_delays.ts";
import type { DemoEvent } from "../../scenarios/demos/demo_event.ts";
import { demos } from "../../scenarios/demos/demos.ts";
import { bufferNames } from "../../scenarios/demos/render/hose_state.ts";
import { recordDemo } from "../../scenarios/demos/record_demo.ts";
import { stalledRun } from "./stalled_run.ts";

/** The marks of the picture: those of demo 04, whose batches overfill a buffer. */
const demo = demos[3]!;
const slot = 22;
const stageWidth = 116;
/** Of the layout for a phone: how far its rows are apart. */
const rowHeight = 104;
/** Between parts: the place of an arrow. */
const gap = 24;
const markGap = 6;
const nameWidth = 100;
/** Up to so many slots are drawn beyond a mark. */
const mostBeyond = 4;

/** The demo's events up to the one in which its first write ends. */
async function record(): Promise<DemoEvent> {
  const events = await recordDemo(demo, "web", messageDelays(demo.messages, seededRandom(1)));
  return events[events.findIndex(({ event }) => event === "written") - 1]!;
}

/** Colours by the reader's scheme, and no ground: it stands on pages of either. */
const style = `
text { font: 14px system-ui, sans-serif; fill: #16181d }
.small { font-size: 12px; fill: #565d68 }
.stage { fill: none; stroke: #565d68; stroke-width: 2 }
.slot { fill: none; stroke: #6e7681; stroke-width: 1.5 }
.full { fill: #0072b2; stroke: #0072b2 }
.held { fill: #0072b2; fill-opacity: .35; stroke: #0072b2 }
.over { fill: #d55e00; stroke: #d55e00 }
.mark { stroke: #16181d; stroke-width: 3 }
.arrow { fill: none; stroke: #565d68; stroke-width: 2 }
.title { font-weight: 600 }
@media (prefers-color-scheme: dark) {
  text { fill: #eceef1 } .small { fill: #a3abb6 } .stage { stroke: #a3abb6 } .slot { stroke: #7d8693 }
  .full { fill: #56b4e9; stroke: #56b4e9 } .held { fill: #56b4e9; stroke: #56b4e9 }
  .over { fill: #f0883e; stroke: #f0883e } .mark { stroke: #eceef1 } .arrow { stroke: #a3abb6 }
}`;

interface Buffer {
  readonly name: string;
  readonly count: number;
  readonly held: number;
}

/** The slots of a buffer, as in the playground: the oldest chunk at the right, where chunks leave. */
function drawSlots({ count, held }: Buffer, left: number, top: number): string {
  const mark = demo.highWaterMark;
  const drawn = slotsOf(count);
  const right = left + widthOf(count) - slot;
  const squares = Array.from({ length: drawn }, (_, index) => {
    const kind = index >= count + held
      ? "slot"
      : index >= mark
      ? "slot over"
      : index < held
      ? "slot held"
      : "slot full";
    const x = right - index * slot - (index >= mark ? markGap : 0);
    return `<rect class="${kind}" x="${x}" y="${top}" width="${slot - 4}" height="${
      slot - 4
    }" rx="3"/>`;
  });
  const line = right - (mark - 1) * slot - (count > mark ? 5 : 4);
  return `${squares.join("")}<path class="mark" d="M${line} ${top - 6}v${slot + 8}"/>`;
}

function slotsOf(count: number): number {
  return Math.max(demo.highWaterMark, Math.min(count, demo.highWaterMark + mostBeyond));
}

function widthOf(count: number): number {
  return slotsOf(count) * slot + (count > demo.highWaterMark ? markGap : 0);
}

/** An arrow to the right; every chunk goes there. */
function arrow(x: number, y: number): string {
  return `<path class="arrow" d="M${x} ${y}h12m-5 -5l5 5l-5 5"/>`;
}

function text(x: number, y: number, words: string, kind = ""): string {
  return `<text x="${x}" y="${y}"${kind === "" ? "" : ` class="${kind}"`}>${words}</text>`;
}

/** The picture in a document of `docs`. */
export const hoseImage =
  "![The four buffers of a pipeline whose writer is slow, each with its highWaterMark: " +
  "all are full, and a batch has overfilled the first; below it the same stages in hosepipe, without buffers](images/hose.svg)";

/**
 * Draws the buffers of a native pipeline at one instant of a demo, and below it the same stages in `pipeline`,
 * whose sink waits as well; in rows, or for a phone with a row for each stage.
 */
export async function hosePicture(layout: "wide" | "narrow" = "wide"): Promise<string> {
  const { occupancy, hose } = await record();
  const transforming = hose.transformer.length;
  const buffers: Record<string, Buffer> = Object.fromEntries(bufferNames.map((name) => {
    const held = name === "writerIn"
      ? occupancy.writing
      : name === "transformerIn"
      ? transforming
      : 0;
    const count = occupancy[name] - (name === "transformerIn" ? transforming : 0);
    return [name, { name, count, held }];
  }));
  const mark = demo.highWaterMark;
  const parts: string[] = [];
  const isNarrow = layout === "narrow";
  let [x, y] = [4, 30];
  let farthest = 0;
  const flow = (): void => {
    parts.push(arrow(x + 2, y + 47));
    x += gap;
  };
  const stage = (name: string, words: string): void => {
    parts.push(
      `<rect class="stage" x="${x}" y="${y + 20}" width="${stageWidth}" height="56" rx="8"/>`,
      text(x + 10, y + 44, name),
      text(x + 10, y + 64, words, "small"),
    );
    x += stageWidth;
    farthest = Math.max(farthest, x);
  };
  const buffer = (name: string): void => {
    const one = buffers[name]!;
    const all = one.count + one.held;
    flow();
    parts.push(
      text(x, y + 14, name),
      drawSlots(one, x, y + 38),
      text(x, y + 92, `${all} of ${mark}`, "small"),
    );
    x += Math.max(widthOf(one.count), nameWidth);
    farthest = Math.max(farthest, x);
  };
  const nextRow = (): void => {
    if (isNarrow) [x, y] = [stageWidth + 4, y + rowHeight];
  };
  const nextStage = (): void => {
    if (isNarrow) [x, y] = [4, y + rowHeight];
    else flow();
  };
  const total = Object.values(buffers).reduce((sum, { count, held }) => sum + count + held, 0);
  parts.push(text(4, 18, `Web Streams: ${total} chunks in four buffers`, "title"));
  stage("reader", "asked to pause");
  buffer("readerOut");
  nextRow();
  buffer("transformerIn");
  nextStage();
  stage("transformer", "waits for room");
  buffer("transformerOut");
  nextRow();
  buffer("writerIn");
  nextStage();
  stage("writer", `writes ${hose.writer[0]}`);
  const read = await stalledRun(demo.messages);
  [x, y] = [4, y + 152];
  parts.push(text(4, y - 12, `hosepipe: ${read} chunk, no buffers`, "title"));
  const nextCalled = () => {
    if (isNarrow) [x, y] = [4, y + 68];
    else flow();
  };
  stage("reader", `has read ${read}`);
  nextCalled();
  stage("transformer", `passed ${read} on`);
  nextCalled();
  stage("writer", `writes ${read}`);
  const width = Math.max(farthest + 6, 340);
  const legend = [
    "Solid: waiting.",
    "Pale: being written now.",
    "The bar: the highWaterMark;",
    "orange: a batch overfilled it.",
  ];
  const rows = isNarrow ? legend : [legend.join(" ")];
  const bottom = y + 100 + (rows.length - 1) * 18;
  const words = rows.map((row, index) => text(4, y + 100 + index * 18, row, "small")).join("");
  const description =
    Object.values(buffers).map(({ name, count, held }) =>
      `${name} holds ${count + held}, its mark is ${mark}`
    ).join("; ") + `; pipeline has read ${read}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bottom + 10}" ` +
    `viewBox="0 0 ${width} ${
      bottom + 10
    }" role="img" aria-labelledby="hose-title hose-description">` +
    `<title id="hose-title">A native pipeline and a fused run while the writer is slow</title>` +
    `<desc id="hose-description">${description}.</desc><style>${style.trim()}</style>` +
    `${parts.join("")}${words}</svg>\n`;
}
