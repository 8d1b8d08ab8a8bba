import type { Measured } from "../../worker/measure.ts";

function timesText(ratio: number): string {
  return ratio >= 10 ? String(Math.round(ratio)) : ratio.toFixed(1);
}

function ratioOf(way: Measured, ways: readonly Measured[]): number | undefined {
  const native = ways.find(({ name }) => name === "native");
  return native === undefined ? undefined : native.nsPerChunk / way.nsPerChunk;
}

/** "48 times faster than native". */
export function ratioToNative(way: Measured, ways: readonly Measured[]): string {
  const ratio = ratioOf(way, ways);
  if (ratio === undefined) return "";
  return ratio >= 1
    ? `${timesText(ratio)} times faster than native`
    : `${timesText(1 / ratio)} times slower than native`;
}

/** What was measured, in a sentence or two. */
export function ratioText(ways: readonly Measured[]): string {
  const of = (name: Measured["name"]) => ways.find((way) => way.name === name)!;
  const loop = of("pipeline").nsPerChunk / of("loop").nsPerChunk;
  return `pipeline is ${ratioToNative(of("pipeline"), ways)} here, fuse ${
    ratioToNative(of("fuse"), ways)
  }. Against the plain loop, which is the work and nothing more, pipeline takes ${
    loop.toFixed(1)
  } times as long.`;
}
