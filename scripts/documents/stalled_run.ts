import { map, pipeline } from "../../mod.ts";

/** How many chunks `pipeline` has read when its first write has not ended, and nothing more happens. */
export async function stalledRun(messages: number): Promise<number> {
  let read = 0;
  const controller = new AbortController();
  function* source() {
    while (read < messages) yield ++read;
  }
  const write = () => new Promise<void>(() => {});
  const run = pipeline(source(), map((n: number) => n), write, { signal: controller.signal });
  // Several turns of the event loop, in which a run that would read on does.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve));
  controller.abort();
  await run.catch(() => {});
  return read;
}
