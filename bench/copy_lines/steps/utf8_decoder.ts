import { createByteOrderMarkRemover } from "./byte_order_mark_remover.ts";
import type { Expander } from "./expander.ts";

/** Creates the step that decodes UTF-8 as `TextDecoder` does, however its bytes are cut into chunks. */
export function createUtf8Decoder(): Expander<Uint8Array, string> {
  // Deno 2.9 and Node 26, when they remove the mark themselves, also take U+FEFF from later chunks.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const remover = createByteOrderMarkRemover();
  return {
    push: (bytes) => remover.push(decoder.decode(bytes, { stream: true })),
    end: () => remover.push(decoder.decode()),
  };
}
