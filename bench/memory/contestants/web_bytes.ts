import type { RunMemory } from "../job.ts";

export const webBytes: RunMemory = async ({ chunk: bytes, count, take }) => {
  let left = count;
  const readable = new ReadableStream({
    type: "bytes",
    pull(controller) {
      const request = controller.byobRequest;
      if (left-- <= 0) {
        controller.close();
        request?.respond(0);
      } else if (request) {
        const { buffer, byteOffset } = request.view!;
        new Uint8Array(buffer as ArrayBuffer, byteOffset, bytes.length).set(bytes);
        request.respond(bytes.length);
      } else controller.enqueue(bytes.slice());
    },
  }, { highWaterMark: 0 });
  const reader = readable.getReader({ mode: "byob" });
  let view = new Uint8Array(bytes.length);
  for (let read = await reader.read(view); !read.done; read = await reader.read(view)) {
    take(read.value);
    view = new Uint8Array(read.value.buffer, 0, bytes.length);
  }
};
