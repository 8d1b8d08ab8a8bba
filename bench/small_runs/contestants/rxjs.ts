import { filter, from, lastValueFrom, map, tap } from "rxjs";
import type { RunSmall } from "../job.ts";

export const rxjs: RunSmall = async ({ chunks, increment, isOdd, double, take }) => {
  const stream = from(chunks).pipe(map(increment), filter(isOdd), map(double), tap(take));
  await lastValueFrom(stream, { defaultValue: undefined });
};
