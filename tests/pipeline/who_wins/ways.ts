import { fuse, pipeline, toArray } from "@hosepipe/streams";
import { pipeline as nodePipeline } from "@hosepipe/streams/node";
import { type Connect, nodeEnds, type Scene, webEnds } from "./scene.ts";

/** A way to run a scene, and the column of the table that says who wins in it. */
export interface Way {
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

export const ways: readonly Way[] = [
  {
    name: "pipeline into a stream",
    column: "pipeline",
    connect(scene) {
      const { source, sink } = webEnds(scene);
      return pipeline(source, ...stagesOf(scene), sink, { signal: scene.abort.signal });
    },
  },
  {
    name: "pipeline into a function",
    column: "pipeline",
    connect(scene) {
      const { source } = webEnds(scene);
      return pipeline(source, ...stagesOf(scene), scene.write, { signal: scene.abort.signal });
    },
    lacks: (first, second) =>
      first === "the sink" || second === "the sink's `abort`" || second === "the sink's `close`",
  },
  {
    name: "pipeline of pairs of native streams",
    column: "pipeline",
    connect(scene) {
      const { source, sink } = webEnds(scene);
      const [earlier, middle, later] = stagesOf(scene);
      const { signal } = scene.abort;
      return pipeline(source, earlier, middle, new TransformStream(later), sink, { signal });
    },
    // What a pair drops, or when it reads, is the runtime's.
    lacks: (_, second) => second.includes("under way") || second.includes("later on"),
  },
  {
    name: "toArray",
    column: "pipeline",
    connect(scene) {
      const { source } = webEnds(scene);
      return toArray(source, ...stagesOf(scene), { signal: scene.abort.signal });
    },
    lacks: isOfSink,
  },
  {
    name: "node's pipeline",
    column: "pipeline",
    async connect(scene) {
      const { source, sink } = await nodeEnds(scene);
      await nodePipeline(source, ...stagesOf(scene), sink, { signal: scene.abort.signal });
    },
    // Node destroys every stream at once: no chunk is waited for, and an early end cancels nothing.
    lacks: (first, second) =>
      second.includes("under way") || second.includes("later on") || first.includes("early"),
  },
  {
    name: "fuse",
    column: "fuse",
    connect(scene) {
      const { source, sink } = webEnds(scene);
      const { signal } = scene.abort;
      return source.pipeThrough(fuse(...stagesOf(scene)), { signal }).pipeTo(sink);
    },
  },
  {
    name: "native streams",
    column: "fuse",
    connect(scene) {
      const { source, sink } = webEnds(scene);
      const { signal } = scene.abort;
      let readable: ReadableStream = source;
      for (const [index, stage] of stagesOf(scene).entries()) {
        readable = readable.pipeThrough(
          new TransformStream(stage),
          index === 0 ? { signal } : {},
        );
      }
      return readable.pipeTo(sink);
    },
    // Natively a call in flight is given up.
    lacks: (_, second) => second.includes("parallel") || second.includes("later on"),
  },
];
