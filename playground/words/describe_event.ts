import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { formatSeconds } from "./format.ts";

const phrases: Readonly<Record<ProbeEvent["event"], string>> = {
  read: "reads",
  transform: "begins on",
  write: "begins to write",
  written: "has written",
  end: "has no more",
  final: "is done",
  backpressure: "is asked to pause",
  drain: "is asked for more",
  error: "fails",
  cancel: "is cancelled",
};

/** An event without its time: "transformer begins on 4". */
export function eventPhrase(
  { stage, event, id, reason }: Pick<ProbeEvent, "stage" | "event" | "id" | "reason">,
): string {
  const chunk = id === undefined ? "" : ` ${id}`;
  return `${stage} ${phrases[event]}${chunk}${reason === undefined ? "" : `: ${reason}`}`;
}

/** One line of a log. */
export function describeEvent(event: ProbeEvent): string {
  return `${formatSeconds(event.timeMs)}: ${eventPhrase(event)}`;
}
