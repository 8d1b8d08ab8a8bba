import type { Contestant } from "../measure/workload.ts";
import type { RunNativeEnds } from "./job.ts";

/** Every contestant of native_ends. */
export const contestants: readonly Contestant<RunNativeEnds>[] = [
  {
    name: "hand",
    about: "control: a loop that reads with a reader and writes with a writer",
    load: () => async ({ source, sink, stages }) => {
      const reader = source.getReader();
      const writer = sink.getWriter();
      for (;;) {
        await writer.ready;
        const { done, value } = await reader.read();
        if (done) break;
        let result = value;
        for (const stage of stages) result = stage(result);
        // What goes wrong in a write is found by the next look at `ready`.
        writer.write(result).catch(() => {});
      }
      await writer.close();
    },
  },
  {
    name: "web",
    about: "native: pipeThrough a TransformStream a stage, then pipeTo; with no stage pipeTo alone",
    whyFaster: "with no stage pipeTo stays inside the runtime, where JavaScript sees no chunk; " +
      "pipeline has to read and write each one, as the loop by hand does",
    load: () => async ({ source, sink, stages, strategy }) => {
      let stream = source;
      for (const stage of stages) {
        stream = stream.pipeThrough(
          new TransformStream(
            { transform: (chunk, it) => it.enqueue(stage(chunk)) },
            strategy,
            strategy,
          ),
        );
      }
      await stream.pipeTo(sink);
    },
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline from the native source to the native sink",
    load: async () => {
      const { compose, map, pipeline: runPipeline } = await import("../../mod.ts");

      return async ({ source, sink, stages }) => {
        const maps: Transformer[] = stages.map((stage) => map(stage));
        await runPipeline(source, compose(maps), sink);
      };
    },
  },
  {
    name: "fuse",
    about: "hosepipe: pipeThrough(fuse(…)), then pipeTo",
    takes: ({ stages }) => Number(stages) > 0,
    load: async () => {
      const { compose, fuse: fuseStages, map } = await import("../../mod.ts");

      return async ({ source, sink, stages, strategy }) => {
        const maps: Transformer[] = stages.map((stage) => map(stage));
        const strategies = { writableStrategy: strategy, readableStrategy: strategy };
        await source.pipeThrough(fuseStages(compose(maps), strategies)).pipeTo(sink);
      };
    },
  },
];
