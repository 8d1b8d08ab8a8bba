import { chainContestants } from "../chains/contestants.ts";
import type { RunChain, Step } from "../chains/job.ts";
import { passFunctions, pipeThroughSteps } from "../chains/to_transformers.ts";
import type { Contestant } from "../measure/workload.ts";
import { readAhead, splitLines } from "../text/read_chunks.ts";
import { withLineSink } from "../text/with_line_sink.ts";
import * as steps from "./steps/steps.ts";

/** One run of the job: read a text file, write another. */
interface CopyLinesJob {
  readonly inputPath: string;
  readonly outputPath: string;
  /** How many do-nothing stages the lines pass before they are written. */
  readonly passes: number;
}

/** Does the job; resolves with the number of lines read once the output is written and closed. */
export type CopyLines = (job: CopyLinesJob) => Promise<number>;

/** What the loops written by hand make of a line; `undefined` of one that is dropped. */
function handLine(
  lineRead: string,
  passes: readonly ((chunk: string) => string)[],
): string | undefined {
  const line = steps.trim(lineRead);
  if (!steps.isNotEmpty(line) || !steps.isNotComment(line)) return undefined;
  let result = steps.toLine(steps.toJson(steps.selectFields(steps.splitFields(line))));
  for (const pass of passes) result = pass(result);
  return result;
}

/** The steps of one run of the job, in order, from lines read to lines to be written. */
interface JobSteps {
  readonly steps: readonly Step[];
  /** How many lines the counting step has seen. */
  linesRead(): number;
}

/** Describes the job copy_lines as a list of steps, `passes` of which do nothing. */
function createSteps(passes: readonly ((chunk: string) => string)[]): JobSteps {
  let linesRead = 0;
  const count = (line: string) => {
    linesRead++;
    return line;
  };
  return {
    steps: [
      { kind: "map", fn: count },
      { kind: "map", fn: steps.trim },
      { kind: "filter", fn: steps.isNotEmpty },
      { kind: "filter", fn: steps.isNotComment },
      { kind: "map", fn: steps.splitFields },
      { kind: "map", fn: steps.selectFields },
      { kind: "map", fn: steps.toJson },
      { kind: "map", fn: steps.toLine },
      ...passes.map((fn) => ({ kind: "map", fn }) as const),
    ],
    linesRead: () => linesRead,
  };
}

/** Does the job with a contestant that builds any chain; `one` has all passes be one function. */
function copyByChain(runChain: RunChain, one?: (chunk: string) => string): CopyLines {
  return async ({ inputPath, outputPath, passes }) => {
    const functions = one === undefined ? passFunctions(passes) : Array(passes).fill(one);
    const { steps, linesRead } = createSteps(functions);
    await withLineSink(outputPath, (sink) =>
      runChain({
        source: () => splitLines(readAhead(inputPath)),
        isBatched: true,
        steps,
        write: (line: string) => sink.write(line),
      }));
    return linesRead();
  };
}

const pass = (chunk: string) => chunk;

/** From this many passes on these take minutes, and say nothing new. */
const limits: Readonly<Record<string, number>> = { "node-operators": 10, "web-16": 100 };

/** Every contestant of copy_lines: those of its own, and all that build any chain. */
export const contestants: readonly Contestant<CopyLines>[] = [
  {
    name: "hand",
    about: "control: one hand-written loop",
    set: "tour",
    load: () => async ({ inputPath, outputPath, passes }) => {
      let linesRead = 0;
      const functions = passFunctions(passes);
      await withLineSink(outputPath, async (sink) => {
        for await (const lines of splitLines(readAhead(inputPath))) {
          for (const lineRead of lines) {
            linesRead++;
            const line = handLine(lineRead, functions);
            if (line === undefined) continue;
            const written = sink.write(line);
            if (written) await written;
          }
        }
      });
      return linesRead;
    },
  },
  {
    name: "hand-streams",
    about: "control: the same loop between native streams",
    load: () => async ({ inputPath, outputPath, passes }) => {
      let linesRead = 0;
      const functions = passFunctions(passes);
      const batches = splitLines(readAhead(inputPath));
      const pull = async (controller: ReadableStreamDefaultController<string>) => {
        for (let hasGiven = false; !hasGiven;) {
          const { done, value: lines } = await batches.next();
          if (done) return controller.close();
          for (const lineRead of lines) {
            linesRead++;
            const line = handLine(lineRead, functions);
            if (line === undefined) continue;
            controller.enqueue(line);
            hasGiven = true;
          }
        }
      };
      await withLineSink(outputPath, async (sink) => {
        const cancel = () => void batches.return(undefined);
        await new ReadableStream({ pull, cancel }, { highWaterMark: 0 }).pipeTo(
          new WritableStream(sink),
        );
      });
      return linesRead;
    },
  },
  ...chainContestants.map((entry): Contestant<CopyLines> => ({
    ...entry,
    ...(Object.hasOwn(limits, entry.name)
      ? { takes: ({ passes }) => Number(passes) <= limits[entry.name]! }
      : {}),
    load: async () => copyByChain(await entry.load()),
  })),
  {
    name: "pipeline-lines",
    about: "hosepipe: the same with its own decoder and splitter, lines()",
    set: "publish",
    load: async () => {
      const { compose, lines, pipeline } = await import("../../mod.ts");
      const { toStages } = await import("../chains/to_stages.ts");

      return async ({ inputPath, outputPath, passes }) => {
        const { steps, linesRead } = createSteps(passFunctions(passes));
        await withLineSink(outputPath, async (sink) => {
          await pipeline(
            readAhead(inputPath),
            lines(),
            compose(toStages({ isBatched: false, steps })),
            (line: string) => sink.write(line),
          );
        });
        return linesRead();
      };
    },
  },
  {
    name: "pipeline-one",
    about: "footnote: all do-nothing stages are one function, which an engine inlines",
    set: "publish",
    takes: ({ passes }) => Number(passes) > 0,
    load: async () =>
      copyByChain(await chainContestants.find(({ name }) => name === "pipeline")!.load(), pass),
  },
  {
    name: "std",
    about:
      "web with its own decoder and splitter: TextDecoderStream, TextLineStream of @std/streams",
    package: "deno-std",
    set: "publish",
    load: async () => {
      const { TextLineStream } = await import("@std/streams");

      /** Removes the mark, since Deno's own removal takes U+FEFF from the start of later chunks too. */
      function createUnmark(): Transformer<string, string> {
        let atStart = true;
        return {
          transform(text, controller) {
            if (text === "") return;
            controller.enqueue(atStart && text.startsWith("\uFEFF") ? text.slice(1) : text);
            atStart = false;
          },
        };
      }
      return async ({ inputPath, outputPath, passes }) => {
        const { steps, linesRead } = createSteps(passFunctions(passes));
        await withLineSink(outputPath, async (sink) => {
          const lines: ReadableStream = ReadableStream.from(readAhead(inputPath))
            .pipeThrough(new TextDecoderStream("utf-8", { ignoreBOM: true }))
            .pipeThrough(new TransformStream(createUnmark()))
            .pipeThrough(new TextLineStream());
          await pipeThroughSteps(lines, steps).pipeTo(new WritableStream(sink));
        });
        return linesRead();
      };
    },
  },
];
