import type { DemoEvent } from "../demo_event.ts";
import type { Paint } from "./style.ts";

const edge = "++++++++++";

/** The line that opens a log. */
export const startLine = `${edge} READ Start`;

const marks: Record<string, string> = {
  read: "++ ID Read",
  transform: "++++ ID Transform",
  write: "++++++ ID Write",
  written: "------ ID Write finished",
  end: `${edge} READ End`,
};

/** One event in the article's notation, such as `++++ 1 Transform`. */
export function describeEvent({ event, stage, id }: DemoEvent): string {
  if (event !== "final") return marks[event]!.replace("ID", id ?? "");
  return `${edge} ${stage === "writer" ? "WRITE" : "TRANSFORM"} Final`;
}

/** How an event is painted. */
export function paintOf({ event }: DemoEvent): Paint {
  return event === "end" || event === "final" ? "edge" : event;
}

/** What there is to say besides: the answer, and `writing:written` as in the article. */
export function describeAnswer({ event, answer, occupancy }: DemoEvent): string | undefined {
  if (event === "write" || event === "written") return `${occupancy.writing}:${occupancy.written}`;
  return answer;
}
