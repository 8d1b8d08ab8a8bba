// deno-lint-ignore-file no-explicit-any
// Programs as a newcomer writes them, with no annotation that one would not expect to write: they compile, nothing runs them.
import {
  batch,
  compose,
  filter,
  flatMap,
  fuse,
  lines,
  map,
  parallel,
  pipeline,
  reader,
  scan,
  stage,
  take,
  tap,
  type Transformer,
  writer,
} from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";

interface Order {
  id: number;
  customer: string;
  total: number;
}
declare const url: string;

export async function ndjson() {
  const orders: Order[] = [];
  await pipeline(
    (await fetch(url)).body!,
    lines(),
    filter((line) => line.trim() !== ""),
    map((line): Order => JSON.parse(line)),
    filter((order) => order.total > 100),
    (order) => void orders.push(order),
  );
  return orders;
}

export async function ndjsonOfAny() {
  const response = await fetch(url);
  await pipeline(
    response.body!,
    lines(),
    map((line) => JSON.parse(line)),
    map((order) => order.customer.name),
    console.log,
  );
}

export async function responseAsSource(signal: AbortSignal) {
  const { chunksRead, elapsedMs } = await pipeline(
    await fetch(url, { signal }),
    lines({ maxLength: 10_000 }),
    (line) => console.log(line.length),
    { signal },
  );
  return chunksRead / elapsedMs;
}

export async function csv() {
  const [header] = ["id,customer,total"].map((line) => line.split(","));
  await pipeline(
    ["1,Ada,10\n2,Alan,20\n"],
    lines(),
    map((line) => line.split(",")),
    map((cells) => Object.fromEntries(header!.map((name, index) => [name, cells[index]]))),
    parallel(async (row) => {
      const response = await fetch(`${url}/${row.id}`);
      return { row, ok: response.ok };
    }, { concurrency: 10 }),
    filter(({ ok }) => ok),
    batch(100, { maxWaitMs: 50 }),
    writer(async (rows) => {
      for (const { row } of rows) await Promise.resolve(row.total?.length);
    }, { concurrency: 2 }),
  );
}

export async function gzip() {
  const parts: Uint8Array[] = [];
  await pipeline(
    ["some ", "text"],
    new TextEncoderStream(),
    new CompressionStream("gzip"),
    (bytes) => void parts.push(bytes),
  );
  await pipeline(
    new Blob(["some text"]),
    new CompressionStream("gzip"),
    new DecompressionStream("gzip"),
    new TextDecoderStream(),
    (text) => console.log(text.toUpperCase()),
  );
  return new Response(
    reader(["a", "b"]).pipeThrough(new TextEncoderStream()).pipeThrough(
      new CompressionStream("gzip"),
    ),
  );
}

/** Gathers the fields of one event; an empty line ends it. */
function events() {
  return compose(
    lines(),
    scan((event, line) => {
      const fields = event.isDone ? new Map<string, string>() : event.fields;
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (name !== undefined) fields.set(name, value ?? "");
      return { fields, isDone: line === "" };
    }, { fields: new Map<string, string>(), isDone: false }),
    filter((event) => event.isDone),
    map((event) => ({
      type: event.fields.get("event") ?? "message",
      data: event.fields.get("data"),
    })),
  );
}

export async function serverSentEvents(controller: AbortController) {
  await pipeline(
    (await fetch(url, { headers: { accept: "text/event-stream" } })).body!,
    events(),
    take(10),
    tap(({ type }) => console.log(type)),
    ({ data }) => {
      if (data === undefined) controller.abort();
    },
    { signal: controller.signal },
  );
}

export function serve(_request: Request) {
  let cursor = 0;
  const body = reader((size, { signal }) => {
    if (signal.aborted || cursor > 1000) return null;
    return Array.from({ length: size }, () => cursor++);
  }, { batchSize: 100 })
    .pipeThrough(fuse(map((n) => JSON.stringify({ n }) + "\n")))
    .pipeThrough(new TextEncoderStream());
  return new Response(body);
}

/** Doubles what it is given. */
class Doubling {
  transform(chunk: number, controller: TransformStreamDefaultController<number>) {
    controller.enqueue(chunk);
    controller.enqueue(chunk);
  }
}

export async function ownStages() {
  const seen = new Set<string>();
  const unique: Transformer<string, string> = {
    transform(chunk, controller) {
      if (!seen.has(chunk)) controller.enqueue(chunk);
      seen.add(chunk);
    },
  };
  const everyOther = () => {
    let index = 0;
    return filter(() => index++ % 2 === 0);
  };
  await pipeline(
    new Map([["a", 1], ["b", 2]]),
    map(([, count]) => count),
    new Doubling(),
    everyOther(),
    map((count) => `${count}`),
    unique,
    stage({
      transform(text, controller: TransformStreamDefaultController<{ text: string }>) {
        controller.enqueue({ text: text.trim() });
      },
    }),
    map(({ text }) => text.length),
    async (length) => await Promise.resolve(length.toFixed()),
  );
}

/** A helper of one's own, generic over what it is given. */
export function countBy<T>(source: AsyncIterable<T>, key: (chunk: T) => string) {
  const counts = new Map<string, number>();
  return pipeline(
    source,
    map((chunk) => key(chunk)),
    (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
  ).then(() => counts);
}

export function chosenAtRunTime(flags: { upper: boolean; limit?: number }) {
  const stages: Transformer<string, string>[] = [];
  if (flags.upper) stages.push(map((text: string) => text.toUpperCase()));
  if (flags.limit !== undefined) stages.push(take(flags.limit));
  return pipeline(["a", "b"], compose(stages), map((text) => text.length), (n) => n.toFixed());
}

export async function looking() {
  const look = probe();
  await pipeline(
    look.reader(["a b", "c"]),
    look.transformer(flatMap((text) => text.split(" "))),
    look.transformer(map((word) => word.length)),
    look.writer((length) => length.toFixed()),
  );
  return look.bottleneck();
}

export async function toNativeSink(sink: WritableStream<Uint8Array>, blob: Blob) {
  await pipeline(blob, sink, { preventClose: true });
  await pipeline(blob.stream(), new CompressionStream("gzip"), sink);
}

export async function wrong(signal: AbortSignal, anything: any) {
  // @ts-expect-error a sink is missing
  await pipeline(["a"], map((text) => text.length));
  // @ts-expect-error a typo
  await pipeline(["a"], (text) => text.length, { singal: signal });
  // @ts-expect-error a promise is no source
  await pipeline(fetch(url), lines(), (line) => console.log(line));
  // @ts-expect-error a function is no stage
  await pipeline(["a"], (text: string) => text.length, (n: number) => n);
  await pipeline(anything, lines(), (line) => line.trim(), { signal });
}
