import { readFileSync } from "node:fs";
import { markdownTable } from "./markdown_table.ts";

/** How large a fleet is, and for how long it works. */
export interface FleetOptions {
  readonly workers: number;
  /** How many keys there are: the messages of one are worked on one by one. */
  readonly partitions: number;
  readonly hours: number;
  /** How many messages are sent in a second. */
  readonly rate: number;
  readonly seed: number;
}

/** A method of a queue that asks something of its server. */
export type FleetCall = "receive" | "ack" | "extend" | "nack" | "fail" | "isolate" | "orphans";

/** What happened in one part of the time. */
export interface FleetPhase {
  readonly name: string;
  sent: number;
  stored: number;
  /** Deliveries of messages that had been delivered before. */
  redelivered: number;
  /** Saves of what was stored already, which its key absorbs. */
  repeats: number;
  /** Messages that are dead, and none of those that kill their workers. */
  healthyDead: number;
  killersDead: number;
  /** Calls of the queue, by name; `empty` are those of `receive` that gave nothing. */
  readonly calls: Record<FleetCall | "empty", number>;
  /** How long messages took from being sent to being stored, in seconds. */
  delayS: { half: number; most99: number; longest: number };
}

/** What a fleet came to. */
export interface FleetReport {
  readonly options: FleetOptions;
  readonly phases: readonly FleetPhase[];
  /** Messages that are neither stored nor dead, or were stored out of order. */
  readonly lost: number;
  readonly disordered: number;
}

const whole = (value: number) => value.toLocaleString("en-US");

/** What a fleet came to: a column for each part of its time. */
export function fleetTable({ options, phases, lost, disordered }: FleetReport): string {
  const { workers, partitions, hours, rate } = options;
  const perMessage = ({ stored }: FleetPhase, count: number) => (count / stored).toFixed(2);
  const rows: readonly (readonly [name: string, cell: (phase: FleetPhase) => string])[] = [
    ["messages", ({ stored }) => whole(stored)],
    ["`receive`, calls a message", (phase) => perMessage(phase, phase.calls.receive)],
    ["`ack`", (phase) => perMessage(phase, phase.calls.ack)],
    ["`extend`", (phase) => perMessage(phase, phase.calls.extend)],
    ["other calls", (phase) => {
      const { nack, fail, isolate, orphans } = phase.calls;
      return perMessage(phase, nack + fail + isolate + orphans);
    }],
    ["delivered again", ({ redelivered }) => whole(redelivered)],
    ["saved again", ({ repeats }) => whole(repeats)],
    ["stored after, half, s", ({ delayS }) => whole(delayS.half)],
    ["99 of 100, s", ({ delayS }) => whole(delayS.most99)],
    ["the longest, s", ({ delayS }) => whole(delayS.longest)],
    ["dead: killers", ({ killersDead }) => whole(killersDead)],
    ["dead: others", ({ healthyDead }) => whole(healthyDead)],
  ];
  const table = markdownTable(
    ["", ...phases.map(({ name }) => name)],
    rows.map(([name, cell]) => [name, ...phases.map(cell)]),
  );
  return `${whole(workers)} workers, ${whole(partitions)} keys, ${hours} hours, ${rate} messages ` +
    `a second: ${whole(lost)} lost, ${whole(disordered)} out of order.\n\n${table}`;
}

/** The table of the committed fleet. */
export function fleet(): string {
  const file = new URL("../../tests/queue/simulation/fleet.json", import.meta.url);
  return fleetTable(JSON.parse(readFileSync(file, "utf8")) as FleetReport);
}
