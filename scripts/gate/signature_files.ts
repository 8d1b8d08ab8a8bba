/** The most stages that are typed one by one; more are grouped with `compose`. */
const mostStages = 20;

const header = "// deno-fmt-ignore-file -- one line for each length of chain\n" +
  "// Written by scripts/gate/write_signatures.ts.\n";

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `T${index}`);
}

/** `from`, `from + 1` … `to`, each through `write`. */
function lines(from: number, to: number, write: (count: number) => string[]): string {
  return Array.from({ length: to - from + 1 }, (_, index) => write(from + index))
    .flat().map((line) => `  ${line}\n`).join("");
}

/** A comment that an editor shows with each call: it takes what has no fence for code. */
function comment(summary: string, ...example: readonly string[]): string[] {
  return [
    "/**",
    ` * ${summary}`,
    " *",
    ...["@example", ...example].map((line) => ` * ${line}`),
    " */",
  ];
}

function pipelineSignature(count: number): string[] {
  const chunks = names(count);
  const found = count > 1 ? ", End = never, Some = unknown" : "";
  const given = count > 1 ? ", End, Some" : "";
  return [
    ...comment(
      "Pulls the source through the stages into the sink; the last argument may be options.",
      "await pipeline(",
      "  await fetch(url),",
      "  lines(),",
      "  map((line) => JSON.parse(line)),",
      "  async (row) => await save(row),",
      ");",
    ),
    `<${chunks.join(", ")}${found}>(...args: PipelineArguments<[${
      chunks.join(", ")
    }]${given}>): Promise<PipelineResult>;`,
  ];
}

function fuseSignature(count: number): string[] {
  const chunks = names(count);
  const last = chunks.at(-1)!;
  const open = count > 2 ? [...chunks.slice(0, -1), `${last} = ${chunks.at(-2)}`] : chunks;
  return [
    ...comment(
      "Makes one pair of streams of the stages; the last argument may be strategies.",
      "const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());",
      "return new Response(response.body.pipeThrough(upperCase));",
    ),
    `<${open.join(", ")}>(...args: FuseArguments<[${
      chunks.join(", ")
    }]>): ReadableWritablePair<${last}, T0>;`,
  ];
}

function composeSignature(count: number): string[] {
  const chunks = names(count);
  return [
    "/** Makes one transformer of the stages. */",
    `<${chunks.join(", ")}>(...stages: ComposeArguments<[${chunks.join(", ")}]>): Transformer<T0, ${
      chunks.at(-1)
    }>;`,
  ];
}

function perMessageSignature(count: number): string[] {
  const chunks = names(count);
  return [
    "/** Runs each message through the stages; the last argument may be options. */",
    `<${chunks.join(", ")}>(...args: PerMessageArguments<[${
      chunks.join(", ")
    }]>): Transformer<Message<T0>, Output<${chunks.at(-1)}>>;`,
  ];
}

function gatherSignature(count: number): string[] {
  const chunks = names(count);
  const last = chunks.at(-1)!;
  const otherwise = count > 1 ? ` = ${chunks.at(-2)} & Fits<Name>` : "";
  const open = [...chunks.slice(0, -1), `${last} extends Fits<Name>${otherwise}`];
  return [
    "/** Pulls the source through the stages and gathers what comes out; the last argument may be options. */",
    `<${open.join(", ")}>(...args: GatherArguments<Name, [${
      chunks.join(", ")
    }]>): Gathered<${last}>[Name]["result"];`,
  ];
}

/** Parameters `source: …, stage1: …` for each of `chunks`. */
function sourceAndStages(chunks: readonly string[]): string[] {
  return chunks.map((chunk, index) =>
    index === 0
      ? `source: PipelineSource<${chunk}>`
      : `stage${index}: PipelineStage<Settled<${chunks[index - 1]}>, ${chunk}>`
  );
}

function testSignature(count: number): string[] {
  const chunks = names(mostStages + 2 - count);
  const last = chunks.at(-1)!;
  return [
    "/** Pulls the source through the stages and tests what comes out; the last argument may be options. */",
    `<${chunks.join(", ")}>(${
      sourceAndStages(chunks).join(", ")
    }, fn: ChunkTest<Settled<${last}>>, options?: TestOptions): Tested<${last}>[Name];`,
  ];
}

function reduceSignature(count: number): string[] {
  const chunks = names(mostStages + 2 - count);
  return [
    "/** Pulls the source through the stages and folds what comes out; the last argument may be options. */",
    `<${chunks.join(", ")}, State>(${sourceAndStages(chunks).join(", ")}, fn: Reducer<Settled<${
      chunks.at(-1)
    }>, State>, seed: State | ScanSeed<State>, options?: GatherOptions): Promise<State>;`,
  ];
}

/** The text of each generated file, by its path in the project. */
export function signatureFiles(): Map<string, string> {
  return new Map([
    [
      "src/pipeline/pipeline_signatures.ts",
      `${header}import type { PipelineArguments, PipelineResult } from "./pipeline_types.ts";

/** The call signatures of \`pipeline\`: one for each number of arguments, so that no two compete. */
export interface Pipeline {
${lines(1, mostStages + 2, pipelineSignature)}}
`,
    ],
    [
      "src/ends/gather_signatures.ts",
      `${header}import type { Fits, GatherArguments, Gathered } from "./gather_types.ts";

/** The call signatures of an end such as \`toArray\`: one for each number of arguments, so that no two compete. */
export interface Gather<Name extends keyof Gathered<unknown>> {
${lines(1, mostStages + 2, gatherSignature)}}
`,
    ],
    [
      "src/ends/test_signatures.ts",
      `${header}import type { PipelineSource, PipelineStage, Settled } from "../chain_types.ts";
import type { ChunkTest, Tested, TestOptions } from "./test_types.ts";

/** The call signatures of an end that takes a function, such as \`find\`: one for each number of stages, the most first. */
export interface Test<Name extends keyof Tested<unknown>> {
${lines(1, mostStages + 1, testSignature)}}
`,
    ],
    [
      "src/ends/reduce_signatures.ts",
      `${header}import type { PipelineSource, PipelineStage, Settled } from "../chain_types.ts";
import type { ScanSeed } from "../stages/scan.ts";
import type { GatherOptions } from "../pipeline/pipeline_types.ts";
import type { Reducer } from "./test_types.ts";

/** The call signatures of \`reduce\`: one for each number of stages, the most first. */
export interface Reduce {
${lines(1, mostStages + 1, reduceSignature)}}
`,
    ],
    [
      "src/fuse/fuse_signatures.ts",
      `${header}import type { FuseArguments } from "./types.ts";

/** The call signatures of \`fuse\`: one for each number of arguments, so that no two compete. */
export interface Fuse {
${lines(2, mostStages + 2, fuseSignature)}}
`,
    ],
    [
      "src/queue/per_message_signatures.ts",
      `${header}import type { Transformer } from "../web_types.ts";
import type { Message } from "./message.ts";
import type { Output } from "./output.ts";
import type { PerMessageArguments, PerMessageOptions } from "./per_message_types.ts";

/** The call signatures of \`perMessage\`: one for each number of stages. */
export interface PerMessage {
  /** Makes an output of each body as it is. */
  <T>(options?: PerMessageOptions): Transformer<Message<T>, Output<T>>;
${lines(2, mostStages + 1, perMessageSignature)}}
`,
    ],
    [
      "src/fuse/compose_signatures.ts",
      `${header}import type { Transformer } from "../web_types.ts";
import type { ChainStage } from "../chain_types.ts";
import type { ComposeArguments, Repeatable } from "./compose_types.ts";

/** The call signatures of \`compose\`: one for each number of stages, and one for an array of them. */
export interface Compose {
  /** Makes a transformer that passes chunks on. */
  <T>(): Transformer<T, T>;
  /** Makes one transformer of one, or of an array of any number that give what they take. */
  <T0, T1>(stages: ChainStage<T0, T1> | Repeatable<T0, T1>): Transformer<T0, T1>;
${lines(3, mostStages + 1, composeSignature)}}
`,
    ],
  ]);
}
