import type * as Library from "../../../mod.ts";
import type { Chain, Way } from "./chain.ts";
import { calmed, compare, endersOf, isExact } from "./compare.ts";
import type { Outcome } from "./outcome.ts";
import { type Jitter, runChain } from "./run_chain.ts";

/** Other times that ends may take; where the outcome is a race, native has more than one. */
const jitters: readonly Jitter[] = [
  ...[1, 4, 15, 60].flatMap((steps) => [{ source: steps }, { sink: steps }]),
  ...[1, -1, 2, -2, 3, -3].flatMap((steps) => [{ outside: steps }, { cancel: steps }]),
];

/** Takes the rejections that nobody handled since the last call. */
export type TakeUnhandled = () => readonly unknown[];

/** Whether native pipes write into an identity stream that has no room: Deno 2.9 does, against the standard. */
let writesWithoutRoom: Promise<boolean> | undefined;

async function findWritesWithoutRoom(): Promise<boolean> {
  const source = new ReadableStream({ pull: (controller) => controller.enqueue(1) });
  const { readable, writable } = new TransformStream({}, { highWaterMark: 0 });
  let isRead = false;
  void source.pipeThrough({ readable, writable }).getReader().read().then(() => isRead = true);
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
  return isRead;
}

/**
 * Runs a chain natively and by the library, and says what differs. Where ours is not like the native run, native runs
 * again with ends that take more time: what any of them allows is allowed.
 */
export async function checkChain(
  given: Chain,
  way: Way,
  library: typeof Library,
  takeUnhandled: TakeUnhandled,
): Promise<string[]> {
  writesWithoutRoom ??= findWritesWithoutRoom();
  const isPiped = given.source.shape !== "writes" && given.writableStrategy.highWaterMark === 0;
  const chain = isPiped && await writesWithoutRoom ? { ...given, writableStrategy: {} } : given;
  takeUnhandled();
  const native = await runChain(chain, way, true, library);
  const nativeUnhandled = takeUnhandled().length;
  const ours = await runChain(chain, way, false, library);
  const unhandled = takeUnhandled();
  const { count } = endersOf(chain);
  let calm: Outcome | undefined;
  if (count > 0) {
    calm = await runChain(calmed(chain), way, true, library);
    if (calm.result !== "closed") calm = undefined;
  }
  let problems = compare(chain, way, native, ours, calm);
  if (count > 0) {
    for (const jitter of jitters) {
      if (problems.length === 0) break;
      const other = await runChain(chain, way, true, library, jitter);
      const found = compare(chain, way, other, ours, calm);
      if (found.length < problems.length) problems = found;
    }
  }
  if (problems.length === 0 && isExact(chain) && ours.result !== "hung") {
    const later = await runChain(chain, way, false, library, { source: 7, sink: 7 });
    if (`${later.chunks}` !== `${ours.chunks}`) {
      problems = [`chunks by time: ${ours.chunks}; where its ends take longer ${later.chunks}`];
    }
  }
  takeUnhandled();
  if (unhandled.length > nativeUnhandled) {
    problems = [...problems, ...unhandled.map((reason) => `unhandled rejection: ${reason}`)];
  }
  return problems;
}
