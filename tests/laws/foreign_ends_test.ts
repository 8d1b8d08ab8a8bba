import { after, before, test } from "node:test";
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { fuse, map, pipeline, take } from "@hosepipe/streams";
import { fromNode, pipeline as nodePipeline, toNode, transformer } from "@hosepipe/streams/node";
import { commandOf } from "../../runtimes/descriptors.ts";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { inFolder } from "../lib/in_folder.ts";
import type { Standing } from "../lib/settled_within.ts";
import { endOf } from "../lib/start_script.ts";
import { thisRuntime } from "../lib/this_runtime.ts";
import { turns } from "../lib/turns.ts";
import { Ground, sinks, sources } from "./_foreign_streams.ts";

// Ends that are not ours: streams of Node of each class, and bodies of `fetch`.

const unhandled = collectUnhandled();
const warnings: unknown[] = [];
const onWarning = (warning: unknown): void => void warnings.push(warning);
before(() => void process.on("warning", onWarning));
after(() => {
  process.off("warning", onWarning);
  unhandled.close();
});

const isBun = "Bun" in globalThis;
const isDeno = "Deno" in globalThis;
const texts = Array.from({ length: 6 }, (_, index) => `chunk ${index}\n`);
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Gives turns until something is so, for as long as sockets and files may take; a test that waits in vain says so. */
async function giveTurns(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 5000 && !isSo(); turn++) await turns(1);
}

/** How a run stands once it has settled. */
async function settled(run: Promise<unknown>): Promise<Standing> {
  let standing: Standing = { state: "pending" };
  run.then(
    (value) => standing = { state: "fulfilled", value },
    (reason) => standing = { state: "rejected", reason },
  );
  await giveTurns(() => standing.state !== "pending");
  return standing;
}

function reasonOf(standing: Standing): unknown {
  if (standing.state !== "rejected") throw new Error(`It has not failed: ${standing.state}`);
  return standing.reason;
}

/** The number of listeners that a stream has for each event. */
function listenersOf(stream: Readable | Writable): Map<string, number> {
  // By a symbol a file of Node waits for its own last write, on a busy machine for longer.
  const names = stream.eventNames().filter((name) => typeof name === "string");
  // That one Node adds itself.
  const own = (name: string) =>
    stream.listeners(name).filter((listener) => listener.name !== "requestOnFinish");
  return new Map(names.map((name) => [name, own(name).length]));
}

/** Those of which there are more than before. */
function added(stream: Readable | Writable, before: Map<string, number>): string[] {
  return [...listenersOf(stream)].filter(([name, count]) => count > (before.get(name) ?? 0))
    .map(([name, count]) => `${count - (before.get(name) ?? 0)} ${name}`);
}

interface RunOptions {
  readonly signal?: AbortSignal;
  readonly preventClose?: boolean;
  readonly preventAbort?: boolean;
  readonly preventCancel?: boolean;
}

// deno-lint-ignore no-explicit-any -- of any kind
type Chunks = any;
const same = () => map((chunk: Uint8Array) => chunk);

/** Reads on demand, as a pipe does. */
function pulled(chunks: Chunks): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]?.() ?? chunks[Symbol.iterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => void iterator.return?.(reason),
  }, { highWaterMark: 0 });
}

const into = (sink: Writable) => fromNode(sink, { as: "writable" });

interface SinkWay {
  readonly run: (chunks: Chunks, sink: Writable, options: RunOptions) => Promise<unknown>;
  /** Whether it is one of Node's streams, which hold what they are given and end as they do. */
  readonly isNode?: boolean;
  /** Whether it holds a chunk for longer than a write. */
  readonly holds?: boolean;
}

const sinkWays: Readonly<Record<string, SinkWay>> = {
  "pipeline": { run: (chunks, sink, options) => pipeline(chunks, into(sink), options) },
  "pipeline with a stage": {
    run: (chunks, sink, options) => pipeline(chunks, same(), into(sink), options),
  },
  "pipeTo": { run: (chunks, sink, options) => pulled(chunks).pipeTo(into(sink), options) },
  "fuse": {
    run: (chunks, sink, options) =>
      pulled(chunks).pipeThrough(fuse(same())).pipeTo(into(sink), options),
    holds: true,
  },
  "node's pipeline": {
    run: (chunks, sink, { signal }) => nodePipeline(chunks, same(), sink, { signal }),
    isNode: true,
  },
  "node's pipeline, there and back": {
    run: (chunks, sink, { signal }) => nodePipeline(chunks, toNode(into(sink)), { signal }),
    isNode: true,
  },
};

interface Scene {
  readonly sink: Writable;
  readonly stop: AbortController;
  readonly reason: Error;
}

interface Happening {
  readonly name: string;
  readonly options?: RunOptions;
  /** So many turns before the run others have ended it. */
  readonly endedBefore?: number;
  /** Is done before the fourth chunk is given. */
  readonly act?: (scene: Scene) => void;
  /** Whether the source gives no chunk after that, and does not end. */
  readonly standsStill?: boolean;
  /** The code of the failure, or whether it is the very reason. Default: it fulfils. */
  readonly fails?: "reason" | "ended" | "ERR_STREAM_PREMATURE_CLOSE";
  readonly leavesOpen?: boolean;
  /** How many chunks arrive, if that is certain. */
  readonly arrive?: number;
}

const fail = ({ reason }: Scene): void => {
  throw reason;
};
const byOthers: readonly Happening[] = [
  { name: "is ended by others", act: ({ sink }) => void sink.end(), fails: "ended", arrive: 3 },
  {
    name: "is destroyed by others",
    act: ({ sink }) => void sink.destroy(),
    fails: "ERR_STREAM_PREMATURE_CLOSE",
  },
  { name: "fails", act: ({ sink, reason }) => void sink.destroy(reason), fails: "reason" },
];
const happenings: readonly Happening[] = [
  { name: "takes all", arrive: 6 },
  { name: "has a source that fails", act: fail, fails: "reason" },
  {
    name: "is in a run that is aborted",
    act: ({ stop, reason }) => stop.abort(reason),
    standsStill: true,
    fails: "reason",
  },
  { name: "has just ended", endedBefore: 0, fails: "ended", arrive: 0 },
  { name: "has ended before", endedBefore: 4, fails: "ended", arrive: 0 },
  ...byOthers,
  ...byOthers.map((happening) => ({
    ...happening,
    name: `${happening.name} while the source stands still`,
    standsStill: true,
  })),
  { name: "is left open", options: { preventClose: true }, leavesOpen: true, arrive: 6 },
  {
    name: "is left as it is by a run that fails",
    options: { preventAbort: true },
    act: fail,
    fails: "reason",
    leavesOpen: true,
    arrive: 3,
  },
];

async function* give({ act, standsStill }: Happening, scene: Scene) {
  for (const [index, text] of texts.entries()) {
    if (index === 3 && act !== undefined) {
      // What was given is written.
      await turns(2);
      act(scene);
      if (standsStill) await new Promise(() => {});
      await turns(2);
    }
    yield bytesOf(text);
  }
}

/** Runs with streams that are closed at the end. */
async function onGround(run: (ground: Ground) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const ground = new Ground(folder);
    try {
      await run(ground);
    } finally {
      await ground.close();
    }
  });
}

async function checkSink(name: string, way: SinkWay, happening: Happening): Promise<void> {
  await onGround(async (ground) => {
    const { stream: sink, arrived } = await sinks[name]!(ground);
    const scene = { sink, stop: new AbortController(), reason: new Error("reason") };
    const before = listenersOf(sink);
    const { signal } = scene.stop;
    if (happening.endedBefore !== undefined) {
      sink.end();
      await turns(happening.endedBefore);
    }
    const run = way.run(give(happening, scene), sink, { signal, ...happening.options });
    const standing = await settled(run);
    const { fails, leavesOpen } = happening;
    if (fails === undefined) {
      assertEquals(standing.state, "fulfilled", String(Object(standing).reason));
    } else checkFailure(name, way, happening, scene, standing);
    await turns(6);
    if (leavesOpen) {
      assert(!sink.writableEnded && !sink.destroyed, "it is open");
      sink.end();
    } else if (fails !== undefined && fails !== "ended") await assertDestroyed(sink);
    const isCut = fails === "ended" && way.isNode;
    if (happening.arrive !== undefined && !isCut) {
      assertEquals(await arrived, texts.slice(0, happening.arrive).join(""));
    }
    await turns(6);
    if (fails !== "ended") await assertNoneAdded(sink, before);
  });
}

function checkFailure(
  name: string,
  way: SinkWay,
  { fails, act }: Happening,
  { reason }: Scene,
  standing: Standing,
): void {
  const failure = reasonOf(standing);
  const { code, message } = Object(failure);
  const said = `${code ?? message}`;
  const isHttp = name.includes("node:http") && act === byOthers[2]!.act;
  if (fails === "reason" && !(isHttp && code === "ERR_STREAM_PREMATURE_CLOSE")) {
    assertStrictEquals(failure, reason);
  }
  const ended = ["Cannot write: the node stream has ended", "ERR_STREAM_PREMATURE_CLOSE"];
  if (way.isNode) ended.push("ERR_STREAM_WRITE_AFTER_END");
  if (fails === "ended") assert(ended.includes(said), said);
  else if (fails !== "reason") {
    // In Bun a file says so in its own words, and so do requests everywhere.
    assert([fails, "ERR_STREAM_DESTROYED", "ECONNRESET"].includes(said), said);
  }
}

/** No listener is left. */
async function assertNoneAdded(
  stream: Readable | Writable,
  before: Map<string, number>,
): Promise<void> {
  await giveTurns(() => added(stream, before).length === 0);
  assertEquals(added(stream, before), []);
}

async function assertDestroyed(stream: Readable | Writable): Promise<void> {
  await giveTurns(() => stream.destroyed);
  assert(stream.destroyed, "it is destroyed");
}

type Run = SinkWay["run"];

/** Ways in which a source may fill its buffer again: nothing before the sink holds a chunk. */
const reuses = Object.entries<Run>({
  "pipeline": sinkWays["pipeline"]!.run,
  "pipeline with a stage": sinkWays["pipeline with a stage"]!.run,
  "pipeTo": sinkWays["pipeTo"]!.run,
  async "a default writer"(chunks, sink) {
    const writer = into(sink).getWriter();
    for (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  },
  async "toNode"(chunks, sink) {
    const stream = toNode(into(sink), { highWaterMark: 4 });
    for (const chunk of chunks) {
      await new Promise((resolve, reject) =>
        stream.write(chunk, (error) => error ? reject(error) : resolve(undefined))
      );
    }
    await new Promise((resolve) => stream.end(resolve));
  },
}).flatMap(([name, run]) =>
  [8, 70_000].map((size) => ({ name: `${name}, ${size} bytes`, run, size }))
);

async function checkReuse(name: string, run: Run, size: number): Promise<void> {
  const buffer = new Uint8Array(size);
  const fill = (index: number) => buffer.fill("0".charCodeAt(0) + index);
  const chunks = function* () {
    for (let index = 0; index < 6; index++) yield fill(index);
    fill(9);
  };
  await onGround(async (ground) => {
    const { stream, arrived } = await sinks[name]!(ground);
    assertEquals((await settled(run(chunks(), stream, {}))).state, "fulfilled");
    fill(9);
    const expected = Array.from({ length: 6 }, (_, index) => String(index).repeat(size)).join("");
    assert(await arrived === expected, "each chunk arrives as it was when it was written");
  });
}

const openWays = Object.entries(sinkWays).filter(([, { isNode }]) => !isNode)
  .map(([name, { run }]) => ({ name, run }));

async function checkRuns(name: string, run: Run): Promise<void> {
  await onGround(async (ground) => {
    const { stream, arrived } = await sinks[name]!(ground);
    const before = listenersOf(stream);
    let afterOne: string[] | undefined;
    for (let count = 0; count < 20; count++) {
      const standing = await settled(run([bytesOf("x")], stream, { preventClose: true }));
      assertEquals(standing.state, "fulfilled");
      afterOne ??= added(stream, before);
    }
    assertEquals(added(stream, before), afterOne);
    await settled(run([], stream, {}));
    assertEquals(await arrived, "x".repeat(20));
    await assertNoneAdded(stream, before);
  });
}

/** All at a time: most of each is waiting. */
async function all<Case extends { readonly name: string }>(
  cases: readonly Case[],
  check: (each: Case) => Promise<void>,
): Promise<void> {
  const ends = await Promise.allSettled(cases.map(check));
  const failures = ends.flatMap((end, index) =>
    end.status === "fulfilled"
      ? []
      : [`${cases[index]!.name}: ${end.reason?.stack ?? String(end.reason)}`]
  );
  assertEquals(failures.join("\n"), "");
  await turns(2);
  assertEquals([unhandled.take(), warnings.splice(0)], [[], []]);
}

for (const name of Object.keys(sinks)) {
  for (const [wayName, way] of Object.entries(sinkWays)) {
    // Node's streams know no such options, and an ended sink is refused.
    const cases = happenings.filter(({ options, endedBefore }) =>
      !way.isNode || (options === undefined && endedBefore === undefined)
    );
    test(`${wayName}: ${name} ends as the run or others say`, () =>
      all(cases, (happening) => checkSink(name, way, happening)));
  }

  test(`${name} gets what a buffer held that is used again and again`, () =>
    all(reuses, ({ run, size }) => checkReuse(name, run, size)));

  test(`${name} has one set of listeners however many runs it serves`, () =>
    all(openWays, ({ run }) => checkRuns(name, run)));
}

/** What reads a source until its end, or until `done` says so, and gives each chunk to `take`. */
interface SourceWay {
  readonly run: (
    source: Readable & AsyncIterable<Uint8Array>,
    stages: readonly Transformer<Uint8Array, Uint8Array>[],
    write: (chunk: Uint8Array) => unknown,
    options: RunOptions,
  ) => Promise<unknown>;
  readonly isNode?: boolean;
}

/** As the Web's adapter reads it, or as it is if it is the Web's. */
const webOf = (source: Readable | ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  "getReader" in source ? source : fromNode<Uint8Array>(source);

const sourceWays: Readonly<Record<string, SourceWay>> = {
  "pipeline of fromNode": {
    run: (source, stages, write, options) =>
      pipeline(webOf(source), ...stages as [], write as never, options),
  },
  "pipeline": {
    run: (source, stages, write, options) => pipeline(source, ...stages as [], write, options),
  },
  "pipeTo": {
    run: (source, stages, write, options) =>
      stages.reduce<ReadableStream<Uint8Array>>(
        (readable, stage) => readable.pipeThrough(new TransformStream(stage), options),
        webOf(source),
      ).pipeTo(new WritableStream({ write: (chunk) => write(chunk) as void }), options),
  },
  "fuse": {
    run: (source, stages, write, options) =>
      webOf(source).pipeThrough(fuse(same(), ...(stages as [ReturnType<typeof same>])), options)
        .pipeTo(new WritableStream({ write: (chunk) => write(chunk) as void })),
  },
  "node's pipeline": {
    run: (source, stages, write, { signal }) =>
      nodePipeline(source, ...stages.map((stage) => transformer(stage)), write, { signal }),
    isNode: true,
  },
  "node's pipeline, there and back": {
    run: (source, stages, write, { signal }) =>
      nodePipeline(toNode(webOf(source)), ...stages, write, { signal }),
    isNode: true,
  },
};

interface SourceScene {
  readonly source: Readable;
  readonly stop: AbortController;
  readonly reason: Error;
}

interface SourceHappening {
  readonly name: string;
  readonly options?: RunOptions;
  /** How many chunks a stage needs. Default: all. */
  readonly takes?: number;
  /** Is done when the first chunk is written. */
  readonly act?: (scene: SourceScene) => void;
  /** Whether that is done later, when no chunk is left. */
  readonly isLate?: boolean;
  readonly fails?: "reason" | "ERR_STREAM_PREMATURE_CLOSE";
}

const aborts = ({ stop, reason }: SourceScene): void => stop.abort(reason);
const destroys = ({ source }: SourceScene): void => void source.destroy();
const breaks = ({ source, reason }: SourceScene): void => {
  // A client hears of it where it hears of its connection's failures.
  (source as Readable & { req?: Partial<Writable> }).req?.on?.("error", () => {});
  source.destroy(reason);
};
const code = "ERR_STREAM_PREMATURE_CLOSE";

const sourceHappenings: readonly SourceHappening[] = [
  { name: "gives all" },
  { name: "gives as much as a stage needs", takes: 1 },
  {
    name: "has a sink that fails",
    act: ({ reason }) => {
      throw reason;
    },
    fails: "reason",
  },
  { name: "is in a run that is aborted", act: aborts, fails: "reason" },
  { name: "is in a run that is aborted, late", act: aborts, fails: "reason", isLate: true },
  { name: "is destroyed by others, late", act: destroys, fails: code, isLate: true },
  { name: "fails, late", act: breaks, fails: "reason", isLate: true },
];

async function checkSource(name: string, way: SourceWay, happening: SourceHappening) {
  const { takes, act, isLate, fails, options } = happening;
  await onGround(async (ground) => {
    const isWhole = takes === undefined && act === undefined;
    const { stream, left } = await sources[name]!(ground, texts, isWhole);
    const source = stream as Readable & AsyncIterable<Uint8Array>;
    const scene = { source, stop: new AbortController(), reason: new Error("reason") };
    const before = "on" in source ? listenersOf(source) : undefined;
    const parts: string[] = [];
    const write = (chunk: Uint8Array): void => {
      parts.push(Buffer.from(chunk).toString("latin1"));
      if (act === undefined || parts.length > 1) return;
      if (isLate) void turns(8).then(() => act(scene));
      else act(scene);
    };
    const { signal } = scene.stop;
    const stages = takes === undefined ? [] : [take<Uint8Array>(takes)];
    const standing = await settled(way.run(source, stages, write, { signal, ...options }));
    // In Bun a connection that is destroyed has ended.
    if (act === destroys && isBun && standing.state === "fulfilled") return;
    if (fails === undefined) {
      assertEquals(standing.state, "fulfilled", String(Object(standing).reason));
      if (isWhole) assertEquals(parts.join(""), texts.join(""));
      else assert(texts.join("").startsWith(parts.join("")) && parts.length === takes);
    } else {
      const failure = reasonOf(standing);
      if (fails === "reason") assertStrictEquals(failure, scene.reason);
      else assertEquals((failure as { code: string }).code, fails);
    }
    await turns(6);
    const isGivenUp = !isWhole && act !== destroys && act !== breaks;
    if (isGivenUp && left !== undefined) {
      assertEquals((await settled(left())).state, "fulfilled", "it was left");
    }
    if (before === undefined) return assert(!(stream as ReadableStream).locked);
    if (!isWhole) await assertDestroyed(source);
    await assertNoneAdded(source, before);
  });
}

/** Reads a chunk a run, and leaves the source open. */
async function checkReads(name: string, way: SourceWay): Promise<void> {
  await onGround(async (ground) => {
    const { stream } = await sources[name]!(ground, texts, true);
    const source = stream as Readable & AsyncIterable<Uint8Array>;
    const before = "on" in source ? listenersOf(source) : undefined;
    const parts: string[] = [];
    const write = (chunk: Uint8Array) => void parts.push(Buffer.from(chunk).toString("latin1"));
    let afterOne: string[] | undefined;
    for (let count = 0; count < 20; count++) {
      const run = way.run(source, [take<Uint8Array>(1)], write, { preventCancel: true });
      assertEquals((await settled(run)).state, "fulfilled");
      if (before === undefined || source.readableEnded) continue;
      afterOne ??= added(source, before);
      assertEquals(added(source, before), afterOne);
    }
    assertEquals(parts.join(""), texts.join(""), "no chunk is lost between two runs");
    if (before !== undefined) await assertNoneAdded(source, before);
  });
}

for (const name of Object.keys(sources)) {
  const isByOthers = ({ act }: SourceHappening) => act === destroys || act === breaks;
  const cases = sourceHappenings.filter((happening) =>
    !(happening.isLate && name === "a file") &&
    !(isByOthers(happening) && name === "a body of fetch")
  );
  for (const [wayName, way] of Object.entries(sourceWays)) {
    test(`${wayName}: ${name} is read and given up as the run or others say`, () =>
      all(cases, (happening) => checkSource(name, way, happening)));
  }

  for (const wayName of ["pipeline of fromNode", "pipeline"]) {
    test(`${wayName}: ${name} that is left open is read on by the next run`, () =>
      all([{ name: "twenty runs" }], () => checkReads(name, sourceWays[wayName]!)));
  }
}

const program = fileURLToPath(new URL("_foreign_program.ts", import.meta.url));

/** What a process says and how it ends, with an input that gives two lines and stays open until then. */
async function say(name: string): Promise<string> {
  const [command, ...args] = commandOf(thisRuntime, program, [name]);
  const child = spawn(command, args, { timeout: 20_000, killSignal: "SIGKILL" });
  const ended = endOf(child);
  child.stdin.on("error", () => {}).write("one\ntwo\n");
  // The next line comes when it is asked for.
  child.stdout.on("data", (text) => {
    for (const _ of String(text).matchAll(/again/g)) child.stdin.write("more\n");
  });
  const isCut = name.endsWith("closed by its reader");
  if (isCut) child.stdout.once("data", () => child.stdout.destroy());
  const { code, stdout, stderr } = await ended;
  child.stdin.destroy();
  return `${isCut ? "" : stdout}${stderr}${code}`;
}

const rest = "after\nconsole\n0";
const enough = `read one\n${rest}`;
const aborted = `read one\nread two\nfailed: enough\n${rest}`;
const given = (failure: string) => `given\nfailed: ${failure}\n${rest}`;

const processes: Readonly<Record<string, string>> = {
  "input, by fromNode, until enough": enough,
  "input, by node's pipeline, until enough": enough,
  "input, as it is, until enough": enough,
  "input, by fromNode, aborted": aborted,
  "input, by node's pipeline, aborted": aborted,
  "input, as it is, aborted": aborted,
  "input, by fromNode, cancelled": `read 8\n${rest}`,
  "input, read again": `read one\nagain\nread more\nagain\nread more\n${rest}`,
  "output, by fromNode, three times": `a\nb\nc\n${rest}`,
  "output, by pipeTo": `a\n${rest}`,
  "output, by node's pipeline, three times": `a\nb\nc\n${rest}`,
  "output, by fromNode, of a source that fails": given("source"),
  "output, by node's pipeline, of a source that fails": given("source"),
  "output, by fromNode, aborted": given("enough"),
  "output, by node's pipeline, aborted": given("enough"),
  "output, by fromNode, of a buffer that is used again": `000111222${rest}`,
  "output, by fromNode, of what it refuses": `given\nfailed\n${rest}`,
  "output, left open, twenty times": `${"x".repeat(20)}\n${rest}`,
  "output, by five at a time": `${"x".repeat(20)}\n${rest}`,
  "output, by fromNode, closed by its reader": "failed: EPIPE\n0",
  "output, by node's pipeline, closed by its reader": "failed: EPIPE\n0",
  "both": `one\ntwo\n${rest}`,
};

for (const [name, said] of Object.entries(processes)) {
  // In Deno an input that was given up gives no more.
  const skip = isDeno && name === "input, read again";
  test(`a process's ${name}: it goes on, and ends by itself`, { skip }, async () => {
    assertEquals(await say(name), said);
  });
}

test("a run into a full disk fails, also one that leaves its sink open", async () => {
  for (const preventClose of [false, true]) {
    // In Bun one of ten small ones was lost: the stream held nothing any more before it said why.
    for (const size of [...Array(50).fill(8), 100_000]) {
      const sink = createWriteStream("/dev/full");
      const run = pipeline([new Uint8Array(size)], into(sink), { preventClose });
      assertEquals((reasonOf(await settled(run)) as { code: string }).code, "ENOSPC");
    }
  }
});
