import { readChunks } from "./read_chunks.ts";

/**
 * Reads a file as {@linkcode readChunks} does, the next chunk while the last one is worked on, as files'
 * streams do in every runtime: otherwise a tenth of the time goes by until a waiting thread is woken.
 */
export async function* readAhead(path: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const chunks = readChunks(path);
  const read = () => {
    const next = chunks.next();
    // It fails where it is awaited, which may be never.
    next.catch(() => {});
    return next;
  };
  let next = read();
  try {
    for (let { done, value } = await next; !done; { done, value } = await next) {
      next = read();
      yield value;
    }
  } finally {
    await chunks.return(undefined);
  }
}
