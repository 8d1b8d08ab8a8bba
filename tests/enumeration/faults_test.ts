import { stateOf } from "../lib/settled_within.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { fuse, map, pipeline, reader } from "../../mod.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { errorOf } from "../lib/error_of.ts";
import { startScript } from "../lib/start_script.ts";
import { turns } from "../lib/turns.ts";

/** A fault of a runtime's own streams. */
interface Fault {
  /** As docs/research/faults.md calls it. */
  readonly name: string;
  /** Of the versions that were looked at, those that have it. */
  readonly in: readonly string[];
  /** Whether the runtime here has it. */
  isHere(): Promise<boolean>;
}

/** A script of its own, since the fault ends the process. */
const pipeIntoFailed = "tests/enumeration/_pipe_into_failed_sink.ts";

function ignore(): void {}

/** Two chunks, and three stages of which the last fails at the first, while the second is on its way. */
const failingChain = {
  source: () =>
    new ReadableStream<number>({
      start(controller) {
        controller.enqueue(1);
        controller.enqueue(2);
        controller.close();
      },
    }),
  stages: (reason: unknown): Transformer<number, number>[] => [
    // deno-lint-ignore require-await
    { transform: async (chunk, controller) => controller.enqueue(chunk) },
    {},
    {
      transform() {
        throw reason;
      },
    },
  ],
};

/** Has ended while a chunk waits. */
const endsEarly: Transformer<number, number> = {
  start(controller) {
    controller.enqueue(1);
    controller.enqueue(2);
    controller.terminate();
  },
};

/** The rejections without a handler that a run leaves whose own rejection is caught. */
function unhandledOf(run: (reason: unknown) => Promise<unknown>): Promise<unknown[]> {
  return unhandledDuring(() => run(new Error("a failure on purpose")).catch(ignore));
}

/** The faults of docs/research/faults.md. */
const faults: readonly Fault[] = [
  {
    name: "pipeThrough into an identity waits for a reader",
    in: ["deno 2.9.6"],
    async isHere() {
      const first = new TransformStream();
      void first.readable.pipeThrough(new TransformStream());
      return await stateOf(first.writable.getWriter().write(1)) === "pending";
    },
  },
  {
    name: "a pipe whose failure is caught leaves a rejection without a handler",
    in: [],
    async isHere() {
      const unhandled = await unhandledOf((reason) =>
        failingChain.stages(reason).reduce(
          (readable, stage) => readable.pipeThrough(new TransformStream(stage)),
          failingChain.source(),
        ).pipeTo(new WritableStream())
      );
      return unhandled.length > 0;
    },
  },
  {
    name: "a pipe that keeps its source open ends the process when the sink has failed",
    in: ["node 26.10.0"],
    isHere: async () => (await startScript(pipeIntoFailed, ["native"]).ended).code !== 0,
  },
  {
    name: "a write while a close goes on throws",
    in: ["node 26.10.0"],
    async isHere() {
      const writer = new WritableStream({ close: () => new Promise(ignore) }).getWriter();
      writer.closed.catch(ignore);
      void writer.close();
      await turns();
      try {
        writer.write(1).catch(ignore);
        return false;
      } catch {
        return true;
      }
    },
  },
  {
    name: "a flush that terminates leaves ready fulfilled",
    in: ["node 26.10.0"],
    async isHere() {
      const { readable, writable } = new TransformStream({
        flush: (controller) => controller.terminate(),
      });
      const writer = writable.getWriter();
      readable.getReader().closed.catch(ignore);
      await turns();
      writer.close().catch(ignore);
      await turns();
      return await stateOf(writer.ready) === "fulfilled";
    },
  },
  {
    name: "a cancel after terminate, while chunks wait, throws",
    in: ["deno 2.9.6", "node 26.10.0"],
    async isHere() {
      try {
        await new TransformStream(endsEarly).readable.cancel();
        return false;
      } catch {
        return true;
      }
    },
  },
  {
    name: "a write while a close goes on rejects ready",
    in: ["deno 2.9.6"],
    async isHere() {
      const writer = new WritableStream({ close: () => new Promise(ignore) }).getWriter();
      writer.closed.catch(ignore);
      writer.close().catch(ignore);
      await turns();
      try {
        writer.write(1).catch(ignore);
      } catch {
        return false;
      }
      return await stateOf(writer.ready) === "rejected";
    },
  },
  {
    name: "closed fulfils after the reads that wait",
    in: ["deno 2.9.6"],
    async isHere() {
      const order: string[] = [];
      let close!: () => void;
      const reader = new ReadableStream({
        start: (controller) => void (close = () => controller.close()),
      }).getReader();
      void reader.read().then(() => order.push("read"));
      void reader.closed.then(() => order.push("closed"));
      await turns();
      close();
      await turns();
      return order[0] === "read";
    },
  },
];

const { name: runtime, version } = currentRuntime();
const here = `${runtime} ${version}`;
const known = ["deno 2.9.6", "bun 1.4.5", "node 26.10.0"];

for (const { name, in: versions, isHere } of faults) {
  test(`${here}: ${name}: whether it still does is as docs/research/faults.md says`, async (context) => {
    const isThere = await isHere();
    context.diagnostic?.(`${here}: ${isThere ? "yes" : "no"}`);
    // Of a version that was not looked at yet nothing is known.
    if (known.includes(here)) assertEquals(isThere, versions.includes(here));
  });
}

test("pipeline runs an identity stream before anything reads it, in every runtime", async () => {
  const written: number[] = [];
  const stages = [new TransformStream<number, number>(), new TransformStream<number, number>()];
  await pipeline([1, 2], ...stages as [TransformStream<number, number>], (chunk) => {
    written.push(chunk);
  });
  assertEquals(written, [1, 2]);
});

test("fuse of an identity takes a write before anything reads it, in every runtime", async () => {
  const { readable, writable } = fuse(map((n: number) => n));
  void readable.pipeThrough(fuse({}));
  assertEquals(await stateOf(writable.getWriter().write(1)), "fulfilled");
});

test("fuse and pipeline leave no rejection without a handler where a stage fails", async () => {
  const fused = await unhandledOf((reason) => {
    const [first, second, third] = failingChain.stages(reason);
    return failingChain.source().pipeThrough(fuse(first!, second!, third!))
      .pipeTo(new WritableStream());
  });
  const run = await unhandledOf((reason) => {
    const [first, second, third] = failingChain.stages(reason);
    return pipeline(failingChain.source(), first!, second!, third!, new WritableStream());
  });
  assertEquals([fused, run], [[], []]);
});

test("fuse and pipeline reject with the failure of a sink while chunks of a stage that has ended wait", async () => {
  for (const reason of [undefined, new Error("sink")]) {
    const sink = () => new WritableStream<number>({ write: () => Promise.reject(reason) });
    const runs = [
      reader([0]).pipeThrough(fuse(endsEarly)).pipeTo(sink()),
      pipeline([0], endsEarly, sink()),
    ];
    assertEquals(await Promise.all(runs.map((run) => errorOf(run))), [[reason], [reason]]);
  }
});

test("pipeline rejects with the failure of a sink whose source stays open", async () => {
  const { code, stderr } = await startScript(pipeIntoFailed, ["library"]).ended;
  assertEquals(code, 0, stderr);
  assert(stderr === "" || !/Error/.test(stderr), stderr);
});
