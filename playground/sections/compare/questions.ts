import type { BufferKind } from "../../hose/hose_view.ts";
import type { NativeOptions, Paces } from "../../gated/native_pipeline.ts";
import { type Metric, mostIn, readBeforeFirstWritten, writtenAt } from "./metrics.ts";

/** One of the two settings of a question. */
export interface Setting {
  /** How it differs from the other. */
  readonly name: string;
  readonly marks: Readonly<Record<BufferKind, number>>;
}

/** A pipeline with two settings, and what to predict of it. */
export interface Question {
  readonly id: string;
  readonly name: string;
  /** What both have in common. */
  readonly about: string;
  readonly ask: string;
  readonly settings: readonly [a: Setting, b: Setting];
  readonly paces: Readonly<Record<keyof Paces, number>>;
  readonly options?: Pick<NativeOptions, "batchSize" | "size">;
  readonly metric: Metric;
  /** What to take from it, whatever was guessed. */
  readonly rule: string;
}

const ones = { readerOut: 1, transformerIn: 1, transformerOut: 1, writerIn: 1 };
const fours = { readerOut: 4, transformerIn: 4, transformerOut: 4, writerIn: 4 };

/** What the section asks, the easiest first. */
export const questions: readonly Question[] = [
  {
    id: "speed",
    name: "A slow writer, and larger buffers",
    about: "A read takes 100 ms, a transform 100 ms, a write 400 ms.",
    ask: "Which one writes its sixth chunk first?",
    settings: [
      { name: "every buffer has a highWaterMark of 1", marks: ones },
      { name: "every buffer has a highWaterMark of 4", marks: fours },
    ],
    paces: { reader: 100, transformer: 100, writer: 400 },
    metric: writtenAt(6),
    rule: "A buffer does not make the slowest stage faster: it only fills.",
  },
  {
    id: "ahead",
    name: "Reading ahead",
    about: "A read takes 100 ms, a transform 100 ms, a write 2,000 ms.",
    ask: "Which one has read more chunks when its first write ends?",
    settings: [
      { name: "writer in has a highWaterMark of 1", marks: ones },
      { name: "writer in has a highWaterMark of 4", marks: { ...ones, writerIn: 4 } },
    ],
    paces: { reader: 100, transformer: 100, writer: 2000 },
    metric: readBeforeFirstWritten,
    rule:
      "The highWaterMarks of all buffers add up to how much is read ahead of the slowest stage.",
  },
  {
    id: "batches",
    name: "Batches",
    about: "A read brings 5 chunks and takes 100 ms, a transform 100 ms, a write 400 ms.",
    ask: "In which one does the reader's buffer hold more chunks at a time?",
    settings: [
      { name: "reader out has a highWaterMark of 1", marks: { ...ones } },
      { name: "reader out has a highWaterMark of 4", marks: { ...ones, readerOut: 4 } },
    ],
    paces: { reader: 100, transformer: 100, writer: 400 },
    options: { batchSize: 5 },
    metric: mostIn("readerOut"),
    rule: "A highWaterMark is a threshold: one chunk below it, the stream asks for a whole batch.",
  },
  {
    id: "bytes",
    name: "Sizes in bytes",
    about:
      "Every third chunk has 4 KiB, the others 1 KiB; size counts KiB. A write takes 2,000 ms.",
    ask: "In which one does the reader's buffer hold more chunks at a time?",
    settings: [
      { name: "reader out has a highWaterMark of 2 KiB", marks: { ...ones, readerOut: 2 } },
      { name: "reader out has a highWaterMark of 6 KiB", marks: { ...ones, readerOut: 6 } },
    ],
    paces: { reader: 100, transformer: 100, writer: 2000 },
    options: { size: (chunk) => chunk % 3 === 0 ? 4 : 1 },
    metric: mostIn("readerOut"),
    rule: "With a size, room is counted in its unit: one large chunk may take it all.",
  },
  {
    id: "transformer",
    name: "A slow transformer",
    about: "A read takes 100 ms, a transform 400 ms, a write 100 ms.",
    ask: "In which one does the writer's buffer hold more chunks at a time?",
    settings: [
      { name: "writer in has a highWaterMark of 1", marks: ones },
      { name: "writer in has a highWaterMark of 4", marks: { ...ones, writerIn: 4 } },
    ],
    paces: { reader: 100, transformer: 400, writer: 100 },
    metric: mostIn("writerIn"),
    rule: "Buffers fill before the slowest stage; after it they stay almost empty.",
  },
];
