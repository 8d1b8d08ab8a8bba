/** What the Chromium test runs in the page; each answers with what can be told across the border. */
import {
  batch,
  filter,
  flatMap,
  fuse,
  lines,
  map,
  parallel,
  pipeline,
  reader,
  take,
  writer,
} from "@hosepipe/streams";

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
    fused: JSON.stringify(await Array.fromAsync(source().pipeThrough(fuse(...stages())))),
    native: JSON.stringify(await Array.fromAsync(native)),
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
  const results = await Array.fromAsync(
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
