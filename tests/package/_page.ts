/** What runs in the page of each browser; each answers with what can be told across the border. */
import {
  batch,
  batchBy,
  channel,
  concat,
  dropWhile,
  filter,
  first,
  flatMap,
  formatNdjson,
  fromEvents,
  fuse,
  limitBytes,
  lines,
  map,
  merge,
  parallel,
  parseNdjson,
  pipeline,
  reader,
  rechunk,
  retry,
  scan,
  split,
  take,
  takeUntil,
  takeWhile,
  tee,
  timeout,
  toArray,
  toBytes,
  toJson,
  toText,
  writer,
  zip,
} from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import {
  formatCsv,
  formatSse,
  parseCsv,
  parseMultipart,
  parseSse,
} from "@hosepipe/streams/formats";

export * from "./_page_of_flows.ts";

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** Counts how many calls are in flight, and the most there ever were. */
function flights() {
  let now = 0;
  let most = 0;
  return {
    most: () => most,
    async fly<T>(value: T): Promise<T> {
      most = Math.max(most, ++now);
      await turn();
      now--;
      return value;
    },
  };
}

export async function runPipeline() {
  const words: string[] = [];
  const { chunksRead, chunksWritten } = await pipeline(
    ["to be or\nnot ", "to be\n"],
    lines(),
    flatMap((line) => line.split(" ")),
    filter((word) => word !== "to"),
    (word) => void words.push(word),
  );
  return { words, chunksRead, chunksWritten };
}

export async function fuseBetweenNativeStreams() {
  const { body } = await fetch("/names.txt");
  const zipped = body!
    .pipeThrough(fuse(lines(), map((name) => name.trim()), filter(Boolean)))
    .pipeThrough(fuse(map((name: string) => `Hello, ${name}!\n`)))
    .pipeThrough(new TextEncoderStream())
    .pipeThrough(new CompressionStream("gzip"));
  return await new Response(zipped.pipeThrough(new DecompressionStream("gzip"))).text();
}

export async function fuseAgainstNative() {
  const stages = () =>
    [map((n: number) => n * n), filter((n: number) => n % 3 !== 0), batch<number>(4)] as const;
  const source = () => reader(Array.from({ length: 1000 }, (_, index) => index));
  const [first, second, third] = stages();
  const native = source().pipeThrough(new TransformStream(first))
    .pipeThrough(new TransformStream(second)).pipeThrough(new TransformStream(third));
  return {
    fused: JSON.stringify(await toArray(source().pipeThrough(fuse(...stages())))),
    native: JSON.stringify(await toArray(native)),
  };
}

export async function takeFromEndless() {
  let pulled = 0;
  let isClosed = false;
  function* endless() {
    try {
      while (true) yield pulled++;
    } finally {
      isClosed = true;
    }
  }
  const taken: number[] = [];
  await pipeline(endless(), take<number>(3), (n) => void taken.push(n));
  return { taken, pulled, isClosed };
}

export async function runParallel() {
  const { fly, most } = flights();
  const source = reader([1, 2, 3, 4, 5, 6, 7], { batchSize: 7 });
  const results = await toArray(
    source.pipeThrough(fuse(parallel((n: number) => fly(n * 10), { concurrency: 3 }))),
  );
  return { results, most: most() };
}

export async function readAndWrite() {
  const { fly, most } = flights();
  const written: number[] = [];
  let pages = 0;
  let closed = 0;
  const nextPage = async (size: number) => {
    await turn();
    return pages++ < 3 ? Array.from({ length: size }, (_, index) => pages * 10 + index) : null;
  };
  const write = async (n: number) => void written.push(await fly(n));
  await reader(nextPage, { batchSize: 2 })
    .pipeTo(writer(write, { concurrency: 2, close: () => void closed++ }));
  return { written: written.sort(), most: most(), closed };
}

export async function failWithUndefined() {
  const reasons: string[] = [];
  const source = new ReadableStream({
    pull: (controller) => controller.enqueue(1),
    cancel: (reason) => void reasons.push(`cancelled: ${reason}`),
  });
  const sink = new WritableStream({ abort: (reason) => void reasons.push(`aborted: ${reason}`) });
  const fail = () => {
    throw undefined;
  };
  await pipeline(source, map(fail), sink).then(
    () => reasons.push("fulfilled"),
    (reason: unknown) => reasons.push(`rejected: ${reason}`),
  );
  return reasons.sort();
}

export async function abortBySignal() {
  const controller = new AbortController();
  const reason = new Error("enough");
  let written = 0;
  const endless = async function* () {
    while (true) yield await Promise.resolve(1);
  };
  const rejected = await pipeline(endless(), map((n: number) => n), () => {
    if (++written === 5) controller.abort(reason);
  }, { signal: controller.signal }).catch((error: unknown) => error);
  return { isReason: rejected === reason, written };
}

export async function joinSources() {
  const streams = () => [reader([1, 2]), reader([10, 20])] as const;
  const branches = tee(reader([1, 2, 3]), 2);
  let opened = 0;
  const broken = async function* ({ delivered }: { delivered: number }) {
    yield await Promise.resolve(delivered);
    if (++opened < 3) throw new Error("broken");
  };
  return {
    concat: await toArray(
      concat(...streams(), () => Promise.resolve(new Response("a"))),
      map(String),
    ),
    merge: (await toArray(merge(...streams()))).sort((a, b) => a - b),
    zip: await toArray(zip(...streams())),
    tee: await Promise.all(branches.map((branch) => toArray(branch))),
    timeout: await toArray(timeout(new ReadableStream(), { idleMs: 5 }))
      .catch((error: DOMException) => error.name),
    retry: await toArray(retry(broken, { delayMs: 1 })),
  };
}

export async function sendAndListen() {
  const sent = channel<number>({ highWaterMark: 2, overflow: "dropOldest" });
  for (const n of [1, 2, 3]) sent.send(n);
  sent.close();
  const target = new EventTarget();
  const events = fromEvents(target, "tick", { until: "stop" });
  for (const name of ["tick", "tick", "stop", "tick"]) target.dispatchEvent(new Event(name));
  return {
    sent: await toArray(sent.readable),
    dropped: sent.dropped,
    events: (await toArray(events)).length,
  };
}

export async function newStages() {
  const bytes = new Blob(['{"k":1}\r\n\n{"k":2}\n{"k":1}']);
  const stop = AbortSignal.abort();
  return {
    rows: await toArray(bytes, parseNdjson<{ k: number }>(), batchBy(({ k }) => k, 2)),
    text: await toText([{ a: 1 }, null], formatNdjson()),
    lengths: await toArray(bytes, rechunk(10), map(({ length }) => length)),
    parts: await toArray(["a-", "-b--"], split("--")),
    while: await toArray([1, 2, 3, 1], dropWhile((n) => n < 2), takeWhile((n) => n > 1)),
    until: await toArray([1, 2], takeUntil(stop)),
    limited: await toBytes(bytes, limitBytes(5)).catch((error: Error) => error.name),
    seeded: await toArray([1, 2], scan((list: number[], n) => [...list, n], { seed: () => [] })),
    byBytes: await toArray(["ab", "c", "d"], batch(9, { maxBytes: 3 })),
  };
}

export async function gatherAtEnds() {
  return {
    json: await toJson(new Response('{"a":[1]}')),
    first: await first(reader([5, 6])),
    text: await toText(new Blob(["Zoë"])),
    tooMany: await toArray([1, 2], { maxChunks: 1 }).catch((error: Error) => error.message),
  };
}

export async function readStreamsWithoutIteration() {
  const look = probe();
  const stream = () => reader([1, 2]);
  const pipes = [stream().pipeThrough(fuse(flatMap(stream as () => never)))];
  return {
    reader: await toArray(reader(stream())),
    flatMap: await toArray([0], flatMap(stream as () => never)),
    fused: await toArray(pipes[0]!),
    probed: await toArray(look.reader(stream())),
  };
}

export async function probeNativeStreams() {
  const look = probe();
  const strategy = { highWaterMark: 1 };
  const written: number[] = [];
  let next = 0;
  const readable = new ReadableStream<number>(
    look.reader({
      pull(controller) {
        if (++next > 3) controller.close();
        else controller.enqueue(next);
      },
    }),
    strategy,
  );
  const pair = new TransformStream<number, number>(
    look.transformer({ transform: (chunk, controller) => controller.enqueue(chunk * 2) }),
    strategy,
    strategy,
  );
  const writable = new WritableStream<number>(
    look.writer({ write: (chunk) => void written.push(chunk) }),
    strategy,
  );
  await readable.pipeThrough(pair).pipeTo(writable);
  const count = (name: string) => look.events().filter(({ event }) => event === name).length;
  return { written, counts: ["read", "transform", "written"].map(count) };
}

export async function parseFormats() {
  const rows = [{ id: "1", text: 'a "b"\nc' }, { id: "2", text: "ü" }];
  const body = new Response(reader(rows).pipeThrough(fuse(formatCsv(), map(encode))));
  const table = await toArray(body, parseCsv());
  const events = await toArray(["a\nb", { type: "end", data: "" }], formatSse(), parseSse());
  // Written by hand: WebKit cannot read the stream of a form that has a file.
  const form = [
    ...["--b", 'content-disposition: form-data; name="title"', "", "Holidays", "--b"],
    ...['content-disposition: form-data; name="photo"; filename="beach.jpg"', "", "bytes", "--b--"],
    "",
  ].join("\r\n");
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const parts: string[] = [];
  for await (const part of streamParts(parseMultipart(new Response(form, { headers })))) {
    parts.push(`${part.name} ${part.filename} ${await new Response(part.body).text()}`);
  }
  return { table, events: events.map(({ type, data }) => `${type} ${data}`), parts };
}

const encoder = new TextEncoder();
const encode = (text: string) => encoder.encode(text);

/** WebKit's streams are no iterables. */
async function* streamParts<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  for (let result = await reader.read(); !result.done; result = await reader.read()) {
    yield result.value;
  }
}
