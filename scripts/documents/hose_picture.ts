import { seededRandom } from "../../bench/results/seeded_random.ts";
import { messageDelays } from "../../scenarios/concurrency/message_delays.ts";
import type { DemoEvent } from "../../scenarios/demos/demo_event.ts";
import { demos } from "../../scenarios/demos/demos.ts";
import { bufferNames } from "../../scenarios/demos/render/hose_state.ts";
import { recordDemo } from "../../scenarios/demos/record_demo.ts";

/** The marks of the picture: those of demo 04, whose batches overfill a buffer. */
const demo = demos[3]!;
const slot = 22;
const stageWidth = 116;
/** Of the layout for a phone: how far its rows are apart, and how wide it is. */
const rowHeight = 100;
const narrowWidth = 340;
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
@media (prefers-color-scheme: dark) {
  text { fill: #eceef1 } .small { fill: #a3abb6 } .stage { stroke: #a3abb6 } .slot { stroke: #7d8693 }
  .full { fill: #56b4e9; stroke: #56b4e9 } .held { fill: #56b4e9; stroke: #56b4e9 }
  .over { fill: #f0883e; stroke: #f0883e } .mark { stroke: #eceef1 }
}`;

interface Buffer {
  readonly name: string;
  readonly count: number;
  readonly held: number;
}

function drawSlots({ count, held }: Buffer, left: number, top: number): string {
  const mark = demo.highWaterMark;
  const drawn = Math.max(mark, Math.min(count, mark + mostBeyond));
  const squares = Array.from({ length: drawn }, (_, index) => {
    const kind = index >= count + held
      ? "slot"
      : index >= mark
      ? "slot over"
      : index >= count
      ? "slot held"
      : "slot full";
    const x = left + index * slot + (index >= mark ? 6 : 0);
    return `<rect class="${kind}" x="${x}" y="${top}" width="${slot - 4}" height="${
      slot - 4
    }" rx="3"/>`;
  });
  const line = left + mark * slot - 1;
  return `${squares.join("")}<path class="mark" d="M${line} ${top - 6}v${slot + 8}"/>`;
}

function text(x: number, y: number, words: string, kind = ""): string {
  return `<text x="${x}" y="${y}"${kind === "" ? "" : ` class="${kind}"`}>${words}</text>`;
}

/** The picture in a document of `docs`. */
export const hoseImage =
  "![The four buffers of a pipeline whose writer is slow, each with its highWaterMark: " +
  "all are full, and a batch has overfilled the first](images/hose.svg)";

/** Draws the four buffers of a pipeline at one instant of a demo, in one row, or one below the other for a phone. */
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
  let [x, y] = [4, 0];
  const stage = (name: string, words: string): void => {
    parts.push(
      `<rect class="stage" x="${x}" y="${y + 40}" width="${stageWidth}" height="56" rx="8"/>`,
      text(x + 10, y + 64, name),
      text(x + 10, y + 84, words, "small"),
    );
    x += stageWidth + 12;
  };
  const buffer = (name: string): void => {
    const one = buffers[name]!;
    const beyond = Math.max(0, Math.min(one.count - mark, mostBeyond));
    const shown = one.count > mark
      ? `${one.count} of ${mark}`
      : `${one.count + one.held} of ${mark}`;
    parts.push(
      text(x, y + 34, name),
      drawSlots(one, x, y + 58),
      text(x, y + 112, shown, "small"),
    );
    x += Math.max(mark * slot + (beyond > 0 ? beyond * slot + 6 : 0), 116) + 12;
    if (isNarrow) [x, y] = [stageWidth + 16, y + rowHeight];
  };
  const nextStage = (): void => {
    if (isNarrow) x = 4;
  };
  stage("reader", "asked to pause");
  buffer("readerOut");
  buffer("transformerIn");
  nextStage();
  stage("transformer", "waits for room");
  buffer("transformerOut");
  buffer("writerIn");
  nextStage();
  stage("writer", `writes ${hose.writer[0]}`);
  const width = isNarrow ? narrowWidth : x - 8;
  const legend = [
    "Filled: a message that waits.",
    "Pale: the place of the one being written.",
    "The bar: the highWaterMark;",
    "orange: what a batch put beyond it.",
  ];
  const rows = isNarrow ? legend : [legend.join(" ")];
  const bottom = y + 140 + (rows.length - 1) * 18;
  const words = rows.map((row, index) => text(4, y + 140 + index * 18, row, "small")).join("");
  const description = Object.values(buffers).map(({ name, count, held }) =>
    `${name} holds ${count + held}, its mark is ${mark}`
  ).join("; ");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bottom + 10}" ` +
    `viewBox="0 0 ${width} ${
      bottom + 10
    }" role="img" aria-labelledby="hose-title hose-description">` +
    `<title id="hose-title">The four buffers of a pipeline while its writer is slow</title>` +
    `<desc id="hose-description">${description}.</desc><style>${style.trim()}</style>` +
    `${parts.join("")}${words}</svg>\n`;
}
