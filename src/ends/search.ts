import { checkFunction, checkInteger } from "../errors.ts";
import { filter } from "../stages/filter.ts";
import { take } from "../stages/take.ts";
import { gather, readGatherCall } from "./gather.ts";
import type { ChunkTest, TestOptions } from "./test_types.ts";

/**
 * Runs the end `name` until a chunk is found for which its function, as `adapt` changes it, is truthy: the first, or with
 * `isAny` the one of which that is known first.
 */
export async function search(
  entry: unknown,
  name: string,
  args: readonly unknown[],
  isAny: boolean,
  adapt: (fn: ChunkTest<unknown>) => ChunkTest<unknown> = (fn) => fn,
): Promise<{ readonly chunk: unknown } | undefined> {
  const call = readGatherCall<TestOptions>(entry, name, ["concurrency"], args);
  const fn = call.stages.at(-1);
  checkFunction(`run ${name}`, "fn", fn);
  const { concurrency = 1 } = call.options;
  checkInteger(`run ${name}`, "concurrency", concurrency, 1, true);
  const test = filter(adapt(fn as ChunkTest<unknown>), { concurrency, ordered: !isAny });
  let found: { readonly chunk: unknown } | undefined;
  const stages = [...call.stages.slice(0, -1), test, take(1)];
  await gather(
    { ...call, stages, stageCount: call.stageCount - 1 },
    (chunk) => void (found = { chunk }),
  );
  return found;
}
