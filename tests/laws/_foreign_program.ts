// A process whose own streams are the ends of a run. It has to end by itself, though its input stays open.
import process from "node:process";
import { lines, pipeline, take } from "@hosepipe/streams";
import { fromNode, pipeline as nodePipeline, transformer } from "@hosepipe/streams/node";

const input = () => fromNode<Uint8Array>(process.stdin);
const output = () => fromNode(process.stdout, { as: "writable" });
const say = (line: unknown): boolean => process.stdout.write(`${line}\n`);
const failed = (reason: unknown): boolean => say(`failed: ${(reason as Error).message}`);

/** Gives a line, and fails after that. */
function* failing() {
  yield "given\n";
  throw new Error("source");
}

const stop = new AbortController();
const { signal } = stop;
const stopSoon = (): void => void setTimeout(() => stop.abort(new Error("enough")), 5);

/** Gives a line, and stands still. */
async function* standing() {
  yield "given\n";
  stopSoon();
  await new Promise(() => {});
}

const isRead = (line: string): boolean => {
  if (line === "two") stopSoon();
  return say(`read ${line}`);
};

/** Gives more than a reader takes that goes away. */
function* endless() {
  for (;;) yield "x".repeat(70_000);
}

const broken = ({ code }: { code: string }): never => {
  console.error(`failed: ${code}`);
  return process.exit();
};

const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  "input, by fromNode, until enough": () => pipeline(input(), lines(), take(1), isRead),
  "input, by node's pipeline, until enough": () =>
    nodePipeline(process.stdin, transformer(lines()), transformer(take(1)), isRead),
  "input, as it is, until enough": () =>
    pipeline(process.stdin as AsyncIterable<Uint8Array>, lines(), take(1), isRead),
  "input, by fromNode, aborted": () => pipeline(input(), lines(), isRead, { signal }).catch(failed),
  "input, by node's pipeline, aborted": () =>
    nodePipeline(process.stdin, transformer(lines()), isRead, { signal }).catch(failed),
  "input, as it is, aborted": () =>
    pipeline(process.stdin as AsyncIterable<Uint8Array>, lines(), isRead, { signal }).catch(failed),
  "input, by fromNode, cancelled": async () => {
    const reader = input().getReader();
    say(`read ${new TextDecoder().decode((await reader.read()).value).length}`);
    await reader.cancel("enough");
  },
  "input, read again": async () => {
    await pipeline(input(), lines(), take(1), isRead);
    say("again");
    await nodePipeline(process.stdin, transformer(lines()), transformer(take(1)), isRead);
    say("again");
    await pipeline(input(), lines(), take(1), isRead);
  },
  "output, by fromNode, three times": async () => {
    for (const text of ["a", "b", "c"]) await pipeline([text, "\n"], output());
  },
  "output, by pipeTo": () => ReadableStream.from(["a\n"]).pipeTo(output()),
  "output, by node's pipeline, three times": async () => {
    for (const text of ["a", "b", "c"]) await nodePipeline([text, "\n"], process.stdout);
  },
  "output, by fromNode, of a source that fails": () => pipeline(failing(), output()).catch(failed),
  "output, by node's pipeline, of a source that fails": () =>
    nodePipeline(failing(), process.stdout).catch(failed),
  "output, by fromNode, aborted": () => pipeline(standing(), output(), { signal }).catch(failed),
  "output, by node's pipeline, aborted": () =>
    nodePipeline(standing(), process.stdout, { signal }).catch(failed),
  "output, by fromNode, of a buffer that is used again": () => {
    const buffer = new Uint8Array(3);
    const chunks = function* () {
      for (const text of "012") yield buffer.fill(text.charCodeAt(0));
    };
    return pipeline(chunks(), output());
  },
  "output, by fromNode, of what it refuses": () =>
    // What is refused has no common words.
    pipeline(["given\n", 5], output()).catch(() => say("failed")),
  "output, left open, twenty times": async () => {
    for (let run = 0; run < 20; run++) await pipeline(["x"], output(), { preventClose: true });
    say("");
  },
  "output, by five at a time": async () => {
    const run = () => pipeline(["x"], output());
    for (let count = 0; count < 4; count++) await Promise.all(Array.from({ length: 5 }, run));
    await pipeline(["\n"], output());
  },
  "output, by fromNode, closed by its reader": () => pipeline(endless(), output()).catch(broken),
  "output, by node's pipeline, closed by its reader": () =>
    nodePipeline(endless(), process.stdout).catch(broken),
  "both": () => pipeline(input(), take(1), output()),
};

const [, , name] = process.argv;
const before = process.stdout.listenerCount("error") + process.stdin.listenerCount("error");
await programs[name!]!();
say("after");
console.log("console");
await new Promise((resolve) => setTimeout(resolve, 2));
// One adapter stays with a stream that is left open.
const kept = name!.includes("left open") ? 1 : 0;
const left = process.stdout.listenerCount("error") + process.stdin.listenerCount("error") - before;
if (left !== kept) say(`${left} listeners left`);
