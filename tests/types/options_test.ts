import { readdirSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertRejects } from "@std/assert";
import * as inspect from "@hosepipe/streams/inspect";
import * as node from "@hosepipe/streams/node";
import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import * as web from "@hosepipe/streams";
import { filter, flatMap, map, pipeline, tap, toArray, type Transformer } from "@hosepipe/streams";
import ts from "typescript";
import { MemoryQueue } from "../queue/_memory_queue.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** An interface of options, as it is written. */
interface Written {
  readonly place: string;
  readonly parents: readonly string[];
  /** The type of each option that may be missing. */
  readonly optional: ReadonlyMap<string, ts.TypeNode>;
}

/** Those that we hand to a client of the user's, which never asks for more. */
const handedOut = ["InstrumentOptions"];

/** Finds the interfaces of options in the library, by their names; a second of one name has its file before it. */
function readInterfaces(): Map<string, Written> {
  const found = new Map<string, Written>();
  for (const folder of ["src", "node_compat"]) {
    for (const name of (readdirSync(root + folder, { recursive: true }) as string[]).sort()) {
      if (!name.endsWith(".ts")) continue;
      const path = `${folder}/${name.replaceAll("\\", "/")}`;
      const text = readFileSync(root + path, "utf8");
      const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
      for (const one of source.statements) {
        if (!ts.isInterfaceDeclaration(one) || !one.getText(source).startsWith("export")) continue;
        const { text: title } = one.name;
        if (!/(Options|Strategy|Strategies)$/.test(title) || handedOut.includes(title)) continue;
        const optional = new Map<string, ts.TypeNode>();
        for (const member of one.members) {
          if (!ts.isPropertySignature(member) || member.questionToken === undefined) continue;
          optional.set((member.name as ts.Identifier).text, member.type!);
        }
        const parents = (one.heritageClauses ?? []).flatMap(({ types }) =>
          types.map(({ expression }) => (expression as ts.Identifier).text)
        );
        found.set(found.has(title) ? `${path} ${title}` : title, {
          place: path,
          parents,
          optional,
        });
      }
    }
  }
  return found;
}

const interfaces = readInterfaces();

/** All options of an interface that may be missing, each as `undefined`. */
function allUndefined(title: string): Record<string, undefined> {
  const written = interfaces.get(title);
  if (written === undefined) throw new Error(`Cannot find ${title}`);
  return Object.assign(
    {},
    ...written.parents.map(allUndefined),
    Object.fromEntries([...written.optional.keys()].map((name) => [name, undefined])),
  );
}

test("each option that may be missing may be undefined too, by its type", () => {
  assert(interfaces.size > 30, `${interfaces.size} interfaces`);
  for (const [title, { place, optional }] of interfaces) {
    for (const [name, type] of optional) {
      const kinds = (ts.isUnionTypeNode(type) ? [...type.types] : [type]).map(({ kind }) => kind);
      assert(
        kinds.some((kind) =>
          kind === ts.SyntaxKind.UndefinedKeyword || kind === ts.SyntaxKind.UnknownKeyword
        ),
        `${title}.${name} in ${place}`,
      );
    }
  }
});

/** What takes options of each kind, and what it does with them. */
const takers: readonly (readonly [string, (options: never) => unknown])[] = [
  ["PipelineOptions", (options) => chunksOf((sink) => web.pipeline([1, 2], sink, options))],
  ["ToArrayOptions", (options) => web.toArray([1, 2], options)],
  ["ToTextOptions", (options) => web.toText(["a", "b"], options)],
  ["ToTextOptions", (options) => web.toJson(["1", "2"], options)],
  ["ToBytesOptions", (options) => web.toBytes(["a", "b"], options)],
  ["GatherOptions", (options) => web.first([1, 2], options)],
  ["GatherOptions", (options) => web.last([1, 2], options)],
  ["FuseStrategies", (options) => {
    const stream = web.reader([1, 2]).pipeThrough(web.fuse(web.map((n: number) => n), options));
    return web.toArray(stream);
  }],
  ["Strategy", (options) => {
    const strategies = { writableStrategy: options, readableStrategy: options };
    const stream = web.reader([1, 2]).pipeThrough(web.fuse(web.map((n: number) => n), strategies));
    return web.toArray(stream);
  }],
  ["FilterOptions", (options) => web.toArray([1, 2], web.filter((n) => n > 1, options))],
  ["TestOptions", (options) => web.some([1, 2], (n: number) => n > 1, options)],
  ["ChangesOptions", (options) => web.toArray([1, 1, 2], web.changes(options))],
  ["TakeOptions", (options) => web.toArray([1, 2], web.take(1, options))],
  ["LimitBytesOptions", (options) => web.toArray(["a"], web.limitBytes(1, options))],
  ["BatchOptions", (options) => web.toArray([1, 2, 3], web.batch(2, options))],
  ["BatchByOptions", (options) => web.toArray([1, 2, 3], web.batchBy((n) => n % 2, 2, options))],
  ["LinesOptions", (options) => web.toArray(["a\nb"], web.lines(options))],
  ["SplitOptions", (options) => web.toArray(["a,b"], web.split(",", options))],
  ["ParseNdjsonOptions", (options) => web.toArray(["1\n2"], web.parseNdjson(options))],
  [
    "ParallelOptions",
    (options) =>
      web.toArray([1, 2], web.parallel((n) => n, { concurrency: 2, ...options as object })),
  ],
  ["ReaderOptions", (options) => web.toArray(web.reader([1, 2], options))],
  [
    "WriterOptions",
    (options) => chunksOf((write) => web.pipeline([1, 2], web.writer(write, options))),
  ],
  ["RetryOptions", (options) => web.toArray(web.retry(() => [1, 2], options))],
  [
    "TimeoutOptions",
    (options) => web.toArray(web.timeout([1, 2], { ...options as object, idleMs: 60_000 })),
  ],
  [
    "TimeoutOptions",
    (options) => web.toArray(web.timeout([1, 2], { ...options as object, totalMs: 60_000 })),
  ],
  [
    "TeeOptions",
    (options) => Promise.all(web.tee([1, 2], 2, options).map((branch) => web.toArray(branch))),
  ],
  ["ZipOptions", (options) => web.toArray(web.zip([1, 2, 3], ["a", "b"], options))],
  ["ChannelOptions", (options) => {
    const { send, close, readable } = web.channel<number>(options);
    void send(1);
    close();
    return web.toArray(readable);
  }],
  ["FromEventsOptions", async (options) => {
    const target = new EventTarget();
    const reader = web.fromEvents(target, "tick", options).getReader();
    target.dispatchEvent(new Event("tick"));
    const { value } = await reader.read();
    await reader.cancel();
    return value?.type;
  }],
  ["RecorderOptions", (options) => inspect.probe(options).events()],
  ["RecorderOptions", (options) => node.probe(options).events()],
  ["ProbeOptions", (options) => web.toArray(inspect.probe().reader([1, 2], options))],
  [
    "ProbeTransformerOptions",
    (options) =>
      web.toArray([1, 2], inspect.probe().transformer(web.map((n: number) => n), options)),
  ],
  [
    "ProbeStreamOptions",
    (options) =>
      Readable.prototype.toArray.call(node.probe().reader(Readable.from([1, 2]), options)),
  ],
  ["ConsumerOptions", (options) => consume(options)],
  ["StoredOptions", (options) => consume({}, options)],
  ["PerMessageOptions", (options) => consume({}, {}, options)],
  ["SqliteQueueOptions", async (options) => {
    const { DatabaseSync } = await import("node:sqlite");
    const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), {
      table: "jobs",
      ...options as object,
    });
    await queue.send(["a"]);
    return queue.depth();
  }],
  [
    "AdapterOptions",
    (options) => Readable.prototype.toArray.call(node.toNode(web.reader([1, 2]), options)),
  ],
  ["FromNodeOptions", (options) => web.toArray(node.fromNode(Readable.from([1, 2]), options))],
  [
    "TransformerOptions",
    (options) =>
      Readable.from([1, 2]).pipe(node.transformer(web.map((n: number) => n * 2), options))
        .toArray(),
  ],
  [
    "node_compat/pipeline.ts PipelineOptions",
    (options) => chunksOf((write) => node.pipeline([1, 2], node.writer(write), options)),
  ],
  ["ReaderOptions", (options) => node.reader([1, 2], options).toArray()],
  [
    "WriterOptions",
    (options) => chunksOf((write) => node.pipeline([1, 2], node.writer(write, options))),
  ],
];

/** Gathers what a run writes. */
async function chunksOf(
  run: (write: (chunk: unknown) => void) => Promise<unknown>,
): Promise<unknown[]> {
  const chunks: unknown[] = [];
  await run((chunk) => void chunks.push(chunk));
  return chunks;
}

/** Takes two messages from a queue, and tells what was stored. */
async function consume(ofConsumer: object, ofStored: object = {}, ofEach: object = {}) {
  const consumer = new Consumer(new MemoryQueue(["a", "b"]), ofConsumer);
  const saved: unknown[] = [];
  const upperCase = perMessage(web.map((text: string) => text.toUpperCase()), ofEach);
  const save = (outputs: readonly { value: unknown }[]) => {
    saved.push(...outputs.map(({ value }) => value));
    if (saved.length === 2) consumer.stop();
  };
  await web.pipeline(messages(consumer), upperCase, stored(consumer, save, ofStored));
  return saved;
}

for (const [title, take] of takers) {
  test(`${title}: undefined for all options is the same as none`, async () => {
    const options = allUndefined(title);
    assert(Object.keys(options).length > 0);
    // An empty object as the last argument of fuse is refused.
    const none = title === "FuseStrategies" ? undefined : {};
    assertEquals(await take(options as never), await take(none as never));
  });
}

// Functions of the platform take a second argument of their own: what they make of an index is theirs to say. Where
// the types refuse one, `as never` stands for a program without types.

test("map(parseInt) takes the index for a radix", async () => {
  assertEquals(await toArray(["10", "10", "10"], map(parseInt)), [10, NaN, 2]);
  assertEquals(await toArray(["10", "10"], map((text) => parseInt(text))), [10, 10]);
});

test("map(JSON.parse), which the types refuse, ignores an index that is no reviver", async () => {
  const parse: Transformer<string, unknown> = map(JSON.parse as never);
  assertEquals(await toArray(['{"a":1}', "[2]"], parse), [{ a: 1 }, [2]]);
});

test("map(structuredClone), which the types refuse, fails with a TypeError: an index is no options", async () => {
  const clone: Transformer<number[], unknown> = map(structuredClone as never);
  await assertRejects(() => toArray([[1]], clone), TypeError);
});

test("flatMap(Array.of) and other functions of any number of arguments get index and context", async () => {
  const [chunk, index, context] = await toArray(["a"], flatMap(Array.of as never));
  assertEquals([chunk, index], ["a", 0]);
  assert((context as { signal: unknown }).signal instanceof AbortSignal);
});

test("map(String), filter(Boolean) and encodeURIComponent take the chunk alone", async () => {
  assertEquals(await toArray([0, 1, 2], filter(Boolean), map(String)), ["1", "2"]);
  assertEquals(await toArray(["a b"], map(encodeURIComponent)), ["a%20b"]);
});

test("tap gives a function of any number of arguments all three, a sink is given the chunk alone", async () => {
  const counts: number[] = [];
  const count = (...args: unknown[]) => void counts.push(args.length);
  await toArray(["a"], tap(count));
  await pipeline(["a"], count);
  assertEquals(counts, [3, 1]);
});
