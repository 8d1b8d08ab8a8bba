import { concatMap, from, lastValueFrom, map, type Observable, tap } from "rxjs";
import type { RunAsync } from "../job.ts";
import { waits } from "../steps.ts";

export const rxjs: RunAsync = async ({ chunks, steps, take }) => {
  let stream: Observable<number> = from(chunks);
  steps.forEach((step, index) => {
    stream = stream.pipe(
      waits(index)
        ? concatMap((chunk) => step(chunk) as Promise<number>)
        : map((chunk) => step(chunk) as number),
    );
  });
  await lastValueFrom(stream.pipe(tap(take)), { defaultValue: undefined });
};
