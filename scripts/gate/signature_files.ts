/** The most stages that are typed one by one; more are grouped with `compose`. */
const mostStages = 20;

/** An interface of call signatures, one for each length of chain. */
interface Signatures {
  readonly path: string;
  /** What stands before the signatures. */
  readonly head: string;
  /** The numbers of chunks that differ from stage to stage: from the first to the last. */
  readonly counts: readonly [first: number, last: number];
  readonly comment: string;
  /** The signature of chunks `T0`, `T1` and so on: all, `all` as a list, and the last. */
  readonly write: (chunks: readonly string[], all: string, last: string) => string;
}

/** A comment that an editor shows with each call: it takes what has no fence for code. */
function comment(summary: string, ...example: readonly string[]): string {
  return [
    ...["/**", ` * ${summary}`, " *"],
    ...["@example", ...example].map((line) => ` * ${line}`),
    " */",
  ].join("\n  ");
}

/** Parameters `source: …, stage1: …` for each of `chunks`. */
function sourceAndStages(chunks: readonly string[]): string {
  return chunks.map((chunk, index) =>
    index === 0
      ? `source: PipelineSource<${chunk}>`
      : `stage${index}: PipelineStage<Settled<${chunks[index - 1]}>, ${chunk}>`
  ).join(", ");
}

/** Chunks of which the last is what is before it, if nothing says otherwise. */
function withDefault(chunks: readonly string[], constraint = "", more = ""): string {
  const before = chunks.at(-2);
  const otherwise = before === undefined ? "" : ` = ${before}${more}`;
  return [...chunks.slice(0, -1), `${chunks.at(-1)}${constraint}${otherwise}`].join(", ");
}

const every: readonly Signatures[] = [
  {
    path: "src/pipeline/pipeline_signatures.ts",
    head: `import type { PipelineArguments, PipelineResult } from "./pipeline_types.ts";

/** The call signatures of \`pipeline\`: one for each number of arguments, so that no two compete. */
export interface Pipeline {`,
    counts: [1, mostStages + 2],
    comment: comment(
      "Pulls the source through the stages into the sink; the last argument may be options.",
      "await pipeline(",
      "  await fetch(url),",
      "  lines(),",
      "  map((line) => JSON.parse(line)),",
      "  async (row) => await save(row),",
      ");",
    ),
    write(chunks, all) {
      const [found, given] = chunks.length > 1
        ? [", End = never, Some = unknown", ", End, Some"]
        : ["", ""];
      return `<${all}${found}>(...args: PipelineArguments<[${all}]${given}>): Promise<PipelineResult>;`;
    },
  },
  {
    path: "src/ends/gather_signatures.ts",
    head: `import type { Fits, GatherArguments, Gathered } from "./gather_types.ts";

/** The call signatures of an end such as \`toArray\`: one for each number of arguments, so that no two compete. */
export interface Gather<Name extends keyof Gathered<unknown>> {`,
    counts: [1, mostStages + 2],
    comment:
      "/** Pulls the source through the stages and gathers what comes out; the last argument may be options. */",
    write: (chunks, all, last) =>
      `<${withDefault(chunks, " extends Fits<Name>", " & Fits<Name>")}>` +
      `(...args: GatherArguments<Name, [${all}]>): Gathered<${last}>[Name]["result"];`,
  },
  {
    path: "src/ends/test_signatures.ts",
    head: `import type { PipelineSource, PipelineStage, Settled } from "../chain_types.ts";
import type { ChunkTest, Tested, TestOptions } from "./test_types.ts";

/** The call signatures of an end that takes a function, such as \`find\`: one for each number of stages, the most first. */
export interface Test<Name extends keyof Tested<unknown>> {`,
    counts: [mostStages + 1, 1],
    comment:
      "/** Pulls the source through the stages and tests what comes out; the last argument may be options. */",
    write: (chunks, all, last) =>
      `<${all}>(${sourceAndStages(chunks)}, ` +
      `fn: ChunkTest<Settled<${last}>>, options?: TestOptions): Tested<${last}>[Name];`,
  },
  {
    path: "src/ends/reduce_signatures.ts",
    head: `import type { PipelineSource, PipelineStage, Settled } from "../chain_types.ts";
import type { ScanSeed } from "../stages/scan.ts";
import type { GatherOptions } from "../pipeline/pipeline_types.ts";
import type { Reducer } from "./test_types.ts";

/** The call signatures of \`reduce\`: one for each number of stages, the most first. */
export interface Reduce {`,
    counts: [mostStages + 1, 1],
    comment:
      "/** Pulls the source through the stages and folds what comes out; the last argument may be options. */",
    write: (chunks, all, last) =>
      `<${all}, State>(${sourceAndStages(chunks)}, fn: Reducer<Settled<${last}>, State>, ` +
      "seed: State | ScanSeed<State>, options?: GatherOptions): Promise<State>;",
  },
  {
    path: "src/fuse/fuse_signatures.ts",
    head: `import type { FuseArguments } from "./types.ts";

/** The call signatures of \`fuse\`: one for each number of arguments, so that no two compete. */
export interface Fuse {`,
    counts: [2, mostStages + 2],
    comment: comment(
      "Makes one pair of streams of the stages; the last argument may be strategies.",
      "const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());",
      "return new Response(response.body.pipeThrough(upperCase));",
    ),
    write: (chunks, all, last) =>
      `<${chunks.length > 2 ? withDefault(chunks) : all}>` +
      `(...args: FuseArguments<[${all}]>): ReadableWritablePair<${last}, T0>;`,
  },
  {
    path: "src/queue/per_message_signatures.ts",
    head: `import type { Transformer } from "../web_types.ts";
import type { Message } from "./message.ts";
import type { Output } from "./output.ts";
import type { PerMessageArguments, PerMessageOptions } from "./per_message_types.ts";

/** The call signatures of \`perMessage\`: one for each number of stages. */
export interface PerMessage {
  /** Makes an output of each body as it is. */
  <T>(options?: PerMessageOptions): Transformer<Message<T>, Output<T>>;`,
    counts: [2, mostStages + 1],
    comment: "/** Runs each message through the stages; the last argument may be options. */",
    write: (_, all, last) =>
      `<${all}>(...args: PerMessageArguments<[${all}]>): Transformer<Message<T0>, Output<${last}>>;`,
  },
  {
    path: "src/fuse/compose_signatures.ts",
    head: `import type { Transformer } from "../web_types.ts";
import type { ChainStage } from "../chain_types.ts";
import type { ComposeArguments, Repeatable } from "./compose_types.ts";

/** The call signatures of \`compose\`: one for each number of stages, and one for an array of them. */
export interface Compose {
  /** Makes a transformer that passes chunks on. */
  <T>(): Transformer<T, T>;
  /** Makes one transformer of one, or of an array of any number that give what they take. */
  <T0, T1>(stages: ChainStage<T0, T1> | Repeatable<T0, T1>): Transformer<T0, T1>;`,
    counts: [3, mostStages + 1],
    comment: "/** Makes one transformer of the stages. */",
    write: (_, all, last) =>
      `<${all}>(...stages: ComposeArguments<[${all}]>): Transformer<T0, ${last}>;`,
  },
];

/** The text of each generated file, by its path in the project. */
export function signatureFiles(): Map<string, string> {
  return new Map(every.map(({ path, head, counts: [first, last], comment, write }) => {
    const step = Math.sign(last - first);
    const signatures = Array.from({ length: Math.abs(last - first) + 1 }, (_, index) => {
      const chunks = Array.from({ length: first + step * index }, (_, at) => `T${at}`);
      return `  ${comment}\n  ${write(chunks, chunks.join(", "), chunks.at(-1)!)}\n`;
    });
    const header = "// deno-fmt-ignore-file -- one line for each length of chain\n" +
      "// Written by scripts/gate/write_signatures.ts.\n";
    return [path, `${header}${head}\n${signatures.join("")}}\n`];
  }));
}
