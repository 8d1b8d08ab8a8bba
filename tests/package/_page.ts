/** What runs in the page of each browser; each answers with what can be told across the border. */
import {
  batch,
  channel,
  compose,
  concat,
  encode,
  filter,
  first,
  flatMap,
  fromEvents,
  fuse,
  hub,
  lines,
  map,
  merge,
  peek,
  pipeline,
  reader,
  retry,
  stage,
  tee,
  timeout,
  toArray,
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
  const body = new Response(reader(rows).pipeThrough(fuse(formatCsv(), encode())));
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

/** WebKit's streams are no iterables. */
async function* streamParts<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  for (let result = await reader.read(); !result.done; result = await reader.read()) {
    yield result.value;
  }
}

const messageOf = (error: unknown): string => (error as Error).message;
const asyncDispose: symbol = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

export async function passGenerators() {
  const ends: string[] = [];
  async function* twice(source: AsyncIterable<number>) {
    try {
      for await (const n of source) yield* [n, n * 10];
    } finally {
      ends.push("twice");
    }
  }
  async function* firstThree(source: AsyncIterable<number>) {
    let left = 3;
    for await (const n of source) {
      yield n;
      if (--left === 0) return;
    }
  }
  const marked = stage((source: AsyncIterable<number>) => firstThree(source));
  return {
    piped: await toArray([1, 2, 3], twice, firstThree),
    fused: await toArray(reader([1, 2, 3]).pipeThrough(fuse(twice, marked))),
    composed: await toArray([1, 2, 3], compose(twice, marked), marked),
    ends,
    refused: await toArray([1], function* () {} as never).catch(messageOf),
  };
}

export async function composePairs() {
  const zipped = () => compose(encode(), () => new CompressionStream("gzip"));
  const unzipped = () => compose(new DecompressionStream("gzip"), new TextDecoderStream());
  // A constructor throws what `start` throws, but for workerd's, whose streams fail by it.
  const construct = async () => await new TransformStream(unzipped()).readable.getReader().read();
  const refusal = await construct().catch((reason: unknown) => reason);
  return {
    texts: [
      await toText(["a", "ü"], zipped(), unzipped()),
      await toText(["b"], zipped(), unzipped()),
    ],
    isRefused: refusal instanceof TypeError,
  };
}

export async function flushAndDispose() {
  const sent = channel<number>();
  const written: number[][] = [];
  const run = pipeline(sent.readable, batch<number>(10), (chunks) => void written.push(chunks));
  await sent.send(1);
  await sent.flushNow();
  const atOnce = written.length;
  await sent.send(2);
  const dispose = async (disposable: object) => {
    await (disposable as Record<symbol, () => Promise<void>>)[asyncDispose]!();
  };
  await dispose(sent);
  await run;
  await dispose(probe());
  await dispose(hub(reader([1])));
  await dispose(await peek([1]));
  return { atOnce, written };
}
