import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { fuse, parallel, pipeline, toArray, type Transformer } from "@hosepipe/streams";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { settledWithin, type Standing } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";

/** What fails first in a scene, and what after it. */
interface Reasons {
  readonly first: unknown;
  readonly second: unknown;
}

/** A promise that the scene settles by hand. */
interface Hold {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

function hold(): Hold {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** The parts of a run, which a way connects: a source, an earlier, a middle and a later stage, and a sink. */
class Scene {
  readonly first: unknown;
  readonly second: unknown;
  readonly abort: AbortController = new AbortController();
  readonly stages: { earlier: Transformer; middle: Transformer; later: Transformer };
  middle!: TransformStreamDefaultController<unknown>;
  /** What a method of an end throws. */
  readonly throws: { sourceCancel?: boolean; sinkClose?: boolean; sinkAbort?: boolean } = {};
  /** The first chunk is held in its write, or in a stage. */
  heldWrite: Hold | undefined;
  held: Hold | undefined;
  /** From its second chunk on the sink fails. */
  failsLater = false;
  /** What each end heard. */
  readonly heard: { source: unknown[]; sink: unknown[] } = { source: [], sink: [] };
  // Set by the way.
  giveChunk!: (chunk: number) => void;
  endSource!: () => void;
  failSource!: (reason: unknown) => void;
  failSink!: (reason: unknown) => void;
  #writes = 0;

  constructor({ first, second }: Reasons) {
    this.first = first;
    this.second = second;
    this.stages = {
      earlier: {},
      middle: { start: (controller) => void (this.middle = controller) },
      later: { flush() {} },
    };
  }

  holdWrite(): void {
    this.heldWrite = hold();
  }

  /** Lets a stage hold its first chunk. */
  holdIn(stage: "earlier" | "later"): void {
    const held = this.held = hold();
    this.stages[stage] = { transform: () => held.promise };
  }

  cancelThrows(stage: "earlier" | "later"): void {
    const cancel = () => {
      throw this.second;
    };
    this.stages[stage] = { ...this.stages[stage], cancel };
  }

  readonly write = (): Promise<void> | void => {
    const count = ++this.#writes;
    if (count === 1 && this.heldWrite !== undefined) return this.heldWrite.promise;
    if (count > 1 && this.failsLater) return Promise.reject(this.second);
  };

  /** What an end hears, and what it throws then. */
  hear(end: "source" | "sink", reason: unknown): void {
    this.heard[end].push(reason);
    const { sourceCancel, sinkAbort } = this.throws;
    if (end === "source" ? sourceCancel : sinkAbort) throw this.second;
  }

  readonly close = (): void => {
    if (this.throws.sinkClose) throw this.second;
  };

  /** Runs it: a chunk goes as far as it can, then comes the first failure, then the second. */
  async stand(
    connect: Connect,
    fire: (scene: Scene) => void,
    afterwards: (scene: Scene) => void,
  ): Promise<Standing> {
    const run = connect(this);
    run.catch(() => {});
    await turns(2);
    this.giveChunk(1);
    await turns(3);
    fire(this);
    await turns(3);
    afterwards(this);
    return await settledWithin(run);
  }
}

/** How a scene is run. */
type Connect = (scene: Scene) => Promise<unknown>;

/** The streams of a scene for the Web. */
function webEnds(scene: Scene): {
  source: ReadableStream<number>;
  sink: WritableStream<unknown>;
} {
  const source = new ReadableStream<number>({
    start(controller) {
      scene.giveChunk = (chunk) => controller.enqueue(chunk);
      scene.endSource = () => controller.close();
      scene.failSource = (reason) => controller.error(reason);
    },
    cancel: (reason) => scene.hear("source", reason),
  }, { highWaterMark: 0 });
  const sink = new WritableStream<unknown>({
    start: (controller) => void (scene.failSink = (reason) => controller.error(reason)),
    write: scene.write,
    close: scene.close,
    abort: (reason) => scene.hear("sink", reason),
  });
  return { source, sink };
}

/** A way to run a scene, and the column of the table that says who wins in it. */
interface Way {
  readonly name: string;
  readonly column: "pipeline" | "fuse";
  readonly connect: Connect;
  /** What it cannot show. */
  readonly lacks?: (first: string, second: string) => boolean;
}

const stagesOf = ({ stages }: Scene) => [stages.earlier, stages.middle, stages.later] as const;

/** Whether a part of the sink is in it. */
const isOfSink = (first: string, second: string): boolean =>
  first === "the sink" || second.includes("write") || second.includes("sink");

const withEnds = (
  run: (
    ends: ReturnType<typeof webEnds>,
    stages: ReturnType<typeof stagesOf>,
    options: { signal: AbortSignal },
    scene: Scene,
  ) => Promise<unknown>,
): Connect =>
(scene) => run(webEnds(scene), stagesOf(scene), { signal: scene.abort.signal }, scene);

const ways: readonly Way[] = [
  {
    name: "pipeline into a stream",
    column: "pipeline",
    connect: withEnds(({ source, sink }, stages, options) =>
      pipeline(source, ...stages, sink, options)
    ),
  },
  {
    name: "pipeline into a function",
    column: "pipeline",
    connect: withEnds(({ source }, stages, options, { write }) =>
      pipeline(source, ...stages, write, options)
    ),
    lacks: (first, second) =>
      first === "the sink" || second === "the sink's `abort`" || second === "the sink's `close`",
  },
  {
    name: "pipeline of pairs of native streams",
    column: "pipeline",
    connect: withEnds(({ source, sink }, [earlier, middle, later], options) =>
      pipeline(source, earlier, middle, new TransformStream(later), sink, options)
    ),
    // What a pair drops, or when it reads, is the runtime's.
    lacks: (_, second) => second.includes("under way") || second.includes("later on"),
  },
  {
    name: "toArray",
    column: "pipeline",
    connect: withEnds(({ source }, stages, options) => toArray(source, ...stages, options)),
    lacks: isOfSink,
  },
  {
    name: "fuse",
    column: "fuse",
    connect: withEnds(({ source, sink }, stages, options) =>
      source.pipeThrough(fuse(...stages), options).pipeTo(sink)
    ),
  },
  {
    name: "native streams",
    column: "fuse",
    connect: withEnds(({ source, sink }, [earlier, middle, later], options) =>
      source.pipeThrough(new TransformStream(earlier), options)
        .pipeThrough(new TransformStream(middle)).pipeThrough(new TransformStream(later))
        .pipeTo(sink)
    ),
    // Natively a call in flight is given up.
    lacks: (_, second) => second.includes("parallel") || second.includes("later on"),
  },
];

/** How something fails first, by the first column of the table. */
const firsts: Record<string, (scene: Scene) => void> = {
  "the source": (scene) => scene.failSource(scene.first),
  "a stage": (scene) => scene.middle.error(scene.first),
  "the sink": (scene) => scene.failSink(scene.first),
  "the signal aborts": (scene) => scene.abort.abort(scene.first),
  "none: a stage ends early": (scene) => scene.middle.terminate(),
  "none: the source ends": (scene) => scene.endSource(),
};

/** How something fails afterwards, by the second column: how a scene is prepared, and what happens then. */
const seconds: Record<
  string,
  { prepare: (scene: Scene) => void; afterwards?: (scene: Scene) => void }
> = {
  "the `cancel` of a stage before it": { prepare: (scene) => scene.cancelThrows("earlier") },
  "the `cancel` of a stage after it": { prepare: (scene) => scene.cancelThrows("later") },
  "the source's `cancel`": { prepare: (scene) => void (scene.throws.sourceCancel = true) },
  "the sink's `abort`": { prepare: (scene) => void (scene.throws.sinkAbort = true) },
  "the sink's `close`": { prepare: (scene) => void (scene.throws.sinkClose = true) },
  "a stage before it, under way": {
    prepare: (scene) => scene.holdIn("earlier"),
    afterwards: ({ held, second }) => held!.reject(second),
  },
  "a stage after it, under way": {
    prepare: (scene) => scene.holdIn("later"),
    afterwards: ({ held, second }) => held!.reject(second),
  },
  "a call of `parallel` after it, under way": {
    prepare(scene) {
      scene.holdIn("later");
      const { promise } = scene.held!;
      scene.stages.later = parallel(() => promise, { concurrency: 2 });
    },
    afterwards: ({ held, second }) => held!.reject(second),
  },
  "a write under way": {
    prepare: (scene) => scene.holdWrite(),
    afterwards: ({ heldWrite, second }) => heldWrite!.reject(second),
  },
  "a write later on": {
    prepare(scene) {
      scene.holdWrite();
      scene.failsLater = true;
      scene.stages.later = {
        transform(chunk, controller) {
          controller.enqueue(chunk);
          controller.enqueue(chunk);
        },
      };
    },
    afterwards: ({ heldWrite }) => heldWrite!.resolve(),
  },
};

// The table "Who wins" of docs/differences.md, row by row.

const text = await readFile(new URL("../../docs/differences.md", import.meta.url), "utf8");
const rows = text.split("## Who wins")[1]!.split("\n## ")[0]!.split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
  .slice(2);

const unhandledOf = async (run: () => Promise<void>, isOurs: boolean): Promise<void> => {
  const unhandled = collectUnhandled();
  try {
    await run();
    await turns(2);
    // Native pipes may leave some behind.
    if (isOurs) assertEquals(unhandled.take(), []);
  } finally {
    unhandled.close();
  }
};

test("each way to fail first and afterwards is in the table of who wins", () => {
  assertEquals(new Set(rows.map(([first]) => first)), new Set(Object.keys(firsts)));
  assertEquals(new Set(rows.map(([, second]) => second)), new Set(Object.keys(seconds)));
});

for (const [first, second, inPipeline, inFuse] of rows as [string, string, string, string][]) {
  const { prepare, afterwards = () => {} } = seconds[second]!;

  test(`first ${first}, then ${second}: the table says who wins`, async () => {
    let count = 0;
    // A signal that aborts with `undefined` makes a reason of its own.
    const noErrors = first === "the signal aborts" ? [null, undefined] : [undefined, null];
    for (const way of ways) {
      if (way.lacks?.(first, second)) continue;
      count++;
      for (const [one, other] of [[new Error("first"), new Error("second")], noErrors]) {
        const scene = new Scene({ first: one, second: other });
        prepare(scene);
        await unhandledOf(async () => {
          const standing = await scene.stand(way.connect, firsts[first]!, afterwards);
          const winner = way.column === "pipeline" ? inPipeline : inFuse;
          if (winner === "nothing") {
            assertEquals(standing.state, "fulfilled", way.name);
            return;
          }
          if (winner === "depends on the runtime") {
            assert(
              standing.state === "rejected" && [one, other].includes(standing.reason as Error),
            );
            return;
          }
          assert(winner === "the first" || winner === "the second", winner);
          const reason = winner === "the first" ? one : other;
          assertEquals(standing, { state: "rejected", reason }, way.name);
          if (way.column === "fuse" || winner === "the second") return;
          // What it fails with is what both ends hear.
          const { heard } = scene;
          for (const each of [...heard.source, ...heard.sink]) assertEquals(each, one, way.name);
        }, way.column === "pipeline");
      }
    }
    assert(count > 2);
  });
}
