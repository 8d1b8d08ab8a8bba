import { map } from "../chains/generators.ts";
import type { Contestant } from "../measure/workload.ts";
import { once } from "node:events";
import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ServerResponse } from "node:http";

/** One step of the body: text to text. */
export type BodyStep = (text: string) => string;

/** One answer: every contestant takes the same pieces of text through the same steps into the response, and ends it. */
interface BodyJob {
  readonly pieces: readonly string[];
  readonly steps: readonly BodyStep[];
  readonly response: ServerResponse;
}

/** Sends the body; a contestant is one such function. */
export type SendBody = (job: BodyJob) => Promise<void>;

/** Every contestant of http_body, each as its own users write it. */
export const contestants: readonly Contestant<SendBody>[] = [
  {
    name: "hand",
    about: "control: a loop that writes to the response and waits for its drain",
    load: () => async ({ pieces, steps, response }) => {
      for (const piece of pieces) {
        let text = piece;
        for (const step of steps) text = step(text);
        if (!response.write(text)) await once(response, "drain");
      }
      response.end();
    },
  },
  {
    name: "fuse",
    about: "hosepipe: fuse between a native stream and the response's writable",
    load: async () => {
      const { fuse: fuseStages, map } = await import("../../mod.ts");
      const { fromNode } = await import("../../node_compat/mod.ts");

      return async ({ pieces, steps, response }) => {
        const stages = steps.map((step) => map(step)) as [Transformer<string, string>];
        await ReadableStream.from(pieces).pipeThrough(fuseStages(...stages))
          .pipeTo(fromNode(response, { as: "writable" }));
      };
    },
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline into the response's writable",
    load: async () => {
      const { map, pipeline: runPipeline } = await import("../../mod.ts");
      const { fromNode } = await import("../../node_compat/mod.ts");

      return async ({ pieces, steps, response }) => {
        const stages = steps.map((step) => map(step)) as [Transformer<string, string>];
        await runPipeline(pieces, ...stages, fromNode(response, { as: "writable" }));
      };
    },
  },
  {
    name: "node",
    about: "node:stream: Transforms in object mode and pipeline",
    whyFaster:
      "Node's response is itself a node stream: no adapter lies between, and a write makes no promise",
    load: () => async ({ pieces, steps, response }) => {
      const transforms = steps.map((step) =>
        new Transform({
          objectMode: true,
          transform: (piece, _, callback) => callback(null, step(piece)),
        })
      );
      await pipeline([Readable.from(pieces), ...transforms, response]);
    },
  },
  {
    name: "async-generators",
    about: "a chain of async generators, read by node:stream",
    load: () => async ({ pieces, steps, response }) => {
      let stream: Iterable<string> | AsyncIterable<string> = pieces;
      for (const step of steps) stream = map(stream, step);
      await pipeline(Readable.from(stream), response);
    },
  },
  {
    name: "web",
    about: "one native TransformStream a step, and Writable.toWeb",
    load: () => async ({ pieces, steps, response }) => {
      let stream = ReadableStream.from(pieces);
      for (const step of steps) {
        stream = stream.pipeThrough(
          new TransformStream<string, string>({
            transform: (piece, controller) => controller.enqueue(step(piece)),
          }),
        );
      }
      await stream.pipeTo(Writable.toWeb(response) as WritableStream);
    },
  },
];
