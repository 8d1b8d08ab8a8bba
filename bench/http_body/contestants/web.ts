import { Writable } from "node:stream";
import type { SendBody } from "../job.ts";

export const web: SendBody = async ({ pieces, steps, response }) => {
  let stream = ReadableStream.from(pieces);
  for (const step of steps) {
    stream = stream.pipeThrough(
      new TransformStream<string, string>({
        transform: (piece, controller) => controller.enqueue(step(piece)),
      }),
    );
  }
  await stream.pipeTo(Writable.toWeb(response) as WritableStream);
};
