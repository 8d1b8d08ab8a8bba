// @ts-nocheck: each line below a "says" is a mistake, and its words are what the compiler answers.
// deno-lint-ignore-file require-await
import type { WriteStream } from "node:fs";
import type { Duplex, Readable, Writable } from "node:stream";
import {
  attempt,
  fuse,
  lines,
  map,
  parallel,
  pipeline,
  toArray,
  type Transformer,
} from "@hosepipe/streams";

declare const body: ReadableStream<Uint8Array> | null;
declare const rows: readonly { readonly id: number }[];
declare const texts: WritableStream<string>;
declare const asked: Promise<Response>;
declare const output: Writable;
declare const written: WriteStream;
declare const duplex: Duplex;
declare const input: Readable;
declare const stages: Transformer<string, string>[];
declare const signal: AbortSignal;
async function* ticks() {
  yield 1;
}

// says: a function is no stage: wrap it, as in map(fn)
pipeline(["a"], (text: string) => text.length, (n: number) => void n);
// says: a function is no stage: wrap it, as in map(fn)
pipeline(["a"], lines(), async (text) => text.trim(), (text) => void text);
// says: a function is no stage: wrap it, as in map(fn)
fuse((n: number) => n);
// says: Property 'trim' does not exist on type 'AllChunks<string>'
toArray(["a"], (text) => text.trim(), lines());
// says: or call it, as in lines()
pipeline(["a"], lines, (line: string) => void line);
// says: or call it, as in lines()
pipeline(["a"], TextEncoderStream, (bytes: Uint8Array) => void bytes);
// says: fromNode(stream, { as: 'pair' }) or { as: 'writable' } from @hosepipe/streams/node
pipeline(["a"], output);
// says: fromNode(stream, { as: 'pair' }) or { as: 'writable' } from @hosepipe/streams/node
pipeline(["a"], lines(), written, { signal });
// says: fromNode(stream, { as: 'pair' }) or { as: 'writable' } from @hosepipe/streams/node
pipeline(["a"], duplex, (chunk: string) => void chunk);
// says: fromNode(stream, { as: 'pair' }) or { as: 'writable' } from @hosepipe/streams/node
pipeline(["a"], lines(), input, lines(), (line) => void line);
// says: an array is no stage: compose(stages) makes one of it
pipeline(["a"], lines(), stages, lines(), (line) => void line);
// says: Type 'null' is not assignable to type 'PipelineSource<Uint8Array
pipeline(body, lines(), (line) => void line);
// says: Type 'number' is not assignable to type 'string'
pipeline(rows, map((row) => row.id), map((text: string) => text), (text) => void text);
// says: Type 'bigint' is not assignable to type 'string'
pipeline([1n], map((n) => n), (text: string) => void text);
// says: Type 'boolean' is not assignable to type 'string'
pipeline(rows, map((row): boolean => row.id > 1), texts);
// says: 'singal' does not exist in type 'SinkOrOptions<
// says: Did you mean to write 'signal'?
pipeline(["a"], lines(), (line) => void line, { singal: signal });
// says: options come last, after the sink
pipeline(["a"], lines(), { signal }, (line: string) => void line);
// says: the first argument is the source
pipeline({ signal }, lines(), (line: string) => void line);
// says: a signal is an option: write { signal }
pipeline(["a"], lines(), (line) => void line, signal);
// says: a function is no source: call the generator function, as in source()
pipeline(ticks, map((n: number) => n), (n) => void n);
// says: await a promise of one
pipeline(asked, lines(), (line: string) => void line);
// says: the last argument is a sink, or a sink and options
pipeline(["a"], lines());

// Right: what stands within attempt is typed by the chunks before it.
pipeline(rows, attempt(parallel((row) => row.id, { concurrency: 2 })), (id) => id.toFixed());
