import type { RunBlocks } from "../job.ts";

const blockLength = 65_536;

/** Gathers blocks of 64 KiB and writes each. */
export const hand: RunBlocks = async ({ rows, take }) => {
  const encoder = new TextEncoder();
  const { readable, writable } = new CompressionStream("gzip");
  const writing = (async () => {
    const writer = writable.getWriter();
    let text = "";
    for (const row of rows) {
      text += `${JSON.stringify(row)}\n`;
      if (text.length < blockLength) continue;
      await writer.ready;
      writer.write(encoder.encode(text)).catch(() => {});
      text = "";
    }
    if (text !== "") writer.write(encoder.encode(text)).catch(() => {});
    await writer.close();
  })();
  for await (const chunk of readable) take(chunk);
  await writing;
};
