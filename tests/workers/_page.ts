import { map, toArray } from "../../mod.ts";
import { inWorkers } from "../../src/workers/mod.ts";

async function maker(path: string) {
  const code = await (await fetch(path)).text();
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  return () => new Worker(url, { type: "module" });
}

export async function squares() {
  const module = await maker("/square.txt");
  const numbers = Array.from({ length: 3_000 }, (_, index) => index);
  const stage = inWorkers<typeof import("./modules/square.ts")>(module, { threads: 2 });
  const squares = await toArray(numbers, stage, map((n) => n));
  return [squares.length, squares.every((n, index) => n === index ** 2)];
}

export async function linesOfBytes() {
  const module = await maker("/lines.txt");
  const bytes = new TextEncoder().encode("one\nto\nthree\n");
  const options = { threads: 2, cut: "\n", blockSize: 4 };
  const stage = inWorkers<typeof import("./modules/lines.ts")>(module, options);
  return await toArray([bytes], stage);
}

export async function failure() {
  const stage = inWorkers(await maker("/broken.txt"), { threads: 1 });
  return await toArray([1], stage).then(() => "ended", (error) => String(error));
}

export async function cancelled() {
  const stop = new AbortController();
  const stage = inWorkers(await maker("/square.txt"), { threads: 1 });
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(2) });
  const { signal } = stop;
  const source = endless.pipeThrough(new TransformStream(stage));
  for await (const chunk of source) {
    stop.abort(chunk);
    break;
  }
  return signal.reason;
}
