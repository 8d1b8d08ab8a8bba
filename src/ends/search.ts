import { checkFunction } from "../errors.ts";
import { filter } from "../stages/filter.ts";
import { take } from "../stages/take.ts";
import { gather, readGatherCall } from "./gather.ts";
import type { ChunkTest } from "./test_types.ts";

/** Runs the end `name` until a chunk is found for which its function, as `adapt` changes it, is truthy. */
export async function search(
  entry: unknown,
  name: string,
  args: readonly unknown[],
  adapt: (fn: ChunkTest<unknown>) => ChunkTest<unknown> = (fn) => fn,
): Promise<{ readonly chunk: unknown } | undefined> {
  const call = readGatherCall(entry, name, [], args);
  const fn = call.stages.at(-1);
  checkFunction(`run ${name}`, "fn", fn);
  const test = filter(adapt(fn as ChunkTest<unknown>));
  let found: { readonly chunk: unknown } | undefined;
  const stages = [...call.stages.slice(0, -1), test, take(1)];
  await gather(
    { ...call, stages, stageCount: call.stageCount - 1 },
    (chunk) => void (found = { chunk }),
  );
  return found;
}
