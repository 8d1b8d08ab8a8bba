import { seededRandom } from "../../bench/results/seeded_random.ts";
import { reader } from "../../node_compat/reader.ts";
import { transformer } from "../../node_compat/transformer.ts";
import { messageDelays } from "../../scenarios/concurrency/message_delays.ts";
import type { DemoApi, DemoEvent } from "../../scenarios/demos/demo_event.ts";
import { VirtualClock } from "../../scenarios/demos/demo_clock.ts";
import { demos } from "../../scenarios/demos/demos.ts";
import { describeEvent } from "../../scenarios/demos/render/describe_event.ts";
import { HoseColumns } from "../../scenarios/demos/render/hose_columns.ts";
import { recordDemo } from "../../scenarios/demos/record_demo.ts";

type Both = Readonly<Record<DemoApi, readonly DemoEvent[]>>;

async function eventsOf(number: string, api: DemoApi): Promise<DemoEvent[]> {
  const demo = demos.find((demo) => demo.number === number)!;
  return await recordDemo(demo, api, messageDelays(demo.messages, seededRandom(1)));
}

async function bothOf(number: string): Promise<Both> {
  return { web: await eventsOf(number, "web"), node: await eventsOf(number, "node") };
}

function code(lines: readonly string[]): string {
  return ["```", ...lines.map((line) => line.trimEnd()), "```"].join("\n");
}

/** Two logs beside each other, each from one event to another, counted from 0. */
function beside(
  { web, node }: Both,
  webRange: readonly [number, number],
  nodeRange: readonly [number, number],
) {
  const left = web.slice(...webRange).map(describeEvent);
  const right = node.slice(...nodeRange).map(describeEvent);
  const row = (one = "", other = "") => `${one.padEnd(26)} | ${other}`;
  return code([
    row("WEB", "NODE"),
    ...Array.from(
      { length: Math.max(left.length, right.length) },
      (_, index) => row(left[index], right[index]),
    ),
  ]);
}

function position(events: readonly DemoEvent[], name: DemoEvent["event"], count: number): number {
  let left = count;
  return events.findIndex(({ event }) => event === name && --left === 0);
}

function countOf(events: readonly DemoEvent[], name: DemoEvent["event"]): number {
  return events.filter(({ event }) => event === name).length;
}

/** The buffers when the last of `events` is over: what was in the transformer's hands is in its outgoing one. */
function standing(number: string, events: readonly DemoEvent[], label: string): string[] {
  const { hose, occupancy } = events.at(-1)!;
  const transformed = hose.transformer.length;
  const settled = {
    hose: { ...hose, transformer: [] },
    occupancy: {
      ...occupancy,
      transformerIn: occupancy.transformerIn - transformed,
      transformerOut: occupancy.transformerOut + transformed,
    },
  };
  const columns = new HoseColumns(demos.find((demo) => demo.number === number)!);
  const counts = [countOf(events, "read"), countOf(events, "transform")];
  return [
    `${label}: ${counts[0]} read, ${counts[1]} transformed`,
    columns.names(),
    columns.row(settled),
  ];
}

/**
 * What happens until the first write has finished. Messages go from buffer to buffer without an event of their own, so
 * the last of it is what that write finds at its end.
 */
function untilWritten(events: readonly DemoEvent[]): readonly DemoEvent[] {
  const end = position(events, "written", 1);
  const { occupancy, ...found } = events[end]!;
  const { writing, written } = occupancy;
  const last = {
    ...found,
    occupancy: { ...occupancy, writing: writing + 1, written: written - 1 },
  };
  return [...events.slice(0, end - 1), { ...last, event: events[end - 1]!.event }];
}

/** What node says of demo 02's transformer when nothing moves any more. */
async function writableLengthAtStandstill(): Promise<number> {
  const { highWaterMark, messages } = demos[1]!;
  const source = reader(Array.from({ length: messages }, (_, index) => index), { highWaterMark });
  const stage = transformer({}, { highWaterMark });
  source.pipe(stage);
  await new VirtualClock().run(undefined);
  const { writableLength } = stage;
  source.destroy();
  stage.destroy();
  return writableLength;
}

/** Writes in flight after each write that started or finished, from the first that finished on. */
function flight(events: readonly DemoEvent[], label: string): string {
  const counts = events.slice(position(events, "written", 1))
    .filter(({ event }) => event === "write" || event === "written")
    .map(({ occupancy }) => occupancy.writing);
  return `${label}  ${counts.join(" ")}`;
}

async function createBlocks(): Promise<Record<string, string>> {
  const [first, second, third, fourth, fifth, sixth] = await Promise.all(
    demos.map(({ number }) => bothOf(number)),
  ) as [Both, Both, Both, Both, Both, Both];
  const nodeWaiting = second.node.at(-1)!.occupancy.transformerIn;
  const blocks: Record<string, string> = {
    "demo-01": beside(first, [0, 14], [0, 14]),
    "demo-02": code([
      ...standing("02", second.web, "web"),
      "",
      ...standing("02", second.node, "node"),
      `node's transformer: writableLength ${await writableLengthAtStandstill()}, ` +
      `of which ${nodeWaiting} wait`,
    ]),
    "demo-03": beside(
      third,
      [position(third.web, "written", 1), position(third.web, "written", 4)],
      [position(third.node, "written", 1), position(third.node, "written", 5)],
    ),
    "demo-04": code([
      ...standing("04", untilWritten(fourth.web), "web, before the first write has finished"),
      "",
      ...standing("04", untilWritten(fourth.node), "node, before the first write has finished"),
    ]),
    "demo-05": code([flight(fifth.web, "web "), flight(fifth.node, "node")]),
    "demo-06": code([flight(sixth.web, "web "), flight(sixth.node, "node")]),
  };
  return blocks;
}

/** The output of the six demos, cut to what matters, by the names of the documents' blocks. */
export const demoBlocks: Readonly<Record<string, string>> = await createBlocks();
