/** How long the mark is at most. */
const mostBytes = 40;

/**
 * Passes bytes on, without the mark that `extract --end-mark` puts at their end if it is expected.
 *
 * @param onEnd Called at the end if there is a mark, with how many rows there are.
 * @throws {Error} If it is expected and not there: what wrote them has not come to its end.
 */
export async function* expectEnd(
  chunks: AsyncIterable<Uint8Array>,
  isExpected: boolean,
  onEnd: (rows: number) => void,
): AsyncGenerator<Uint8Array, void> {
  let held = new Uint8Array();
  for await (const chunk of chunks) {
    const all = new Uint8Array(held.length + chunk.length);
    all.set(held);
    all.set(chunk, held.length);
    const end = Math.max(0, all.length - mostBytes);
    if (!isExpected) yield chunk;
    else if (end > 0) yield all.subarray(0, end);
    held = all.slice(end);
  }
  const text = Array.from(held, (byte) => String.fromCharCode(byte)).join("");
  const found = /(?:^|(?<=\n))#end of (\d+) rows\n$/.exec(text);
  if (found !== null) onEnd(Number(found[1]));
  else if (isExpected) {
    throw new Error("The input has no mark of its end, such as --end-mark gives");
  }
  if (isExpected) yield held.subarray(0, found!.index);
}
