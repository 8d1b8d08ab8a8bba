import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { BodyStep, SendBody } from "../job.ts";

async function* map(
  pieces: Iterable<string> | AsyncIterable<string>,
  step: BodyStep,
): AsyncGenerator<string> {
  for await (const piece of pieces) yield step(piece);
}

export const asyncGenerators: SendBody = async ({ pieces, steps, response }) => {
  let stream: Iterable<string> | AsyncIterable<string> = pieces;
  for (const step of steps) stream = map(stream, step);
  await pipeline(Readable.from(stream), response);
};
