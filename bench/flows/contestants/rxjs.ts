import { from, lastValueFrom, mergeMap, share, tap } from "rxjs";
import { branches, concurrency, type RunFlow } from "../job.ts";

const end = { defaultValue: 0 };

export const rxjs: RunFlow = async ({ kind, open, openInner, take }) => {
  const numbers = from(open());
  if (kind === "inner") {
    await lastValueFrom(numbers.pipe(mergeMap(openInner, concurrency), tap(take)), end);
    return;
  }
  const shared = numbers.pipe(share());
  const taken = Array.from({ length: branches }, () => shared.pipe(tap(take)));
  await Promise.all(taken.map((branch) => lastValueFrom(branch, end)));
};
