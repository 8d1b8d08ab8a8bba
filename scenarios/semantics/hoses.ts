import type { Fact } from "./probe.ts";
import type { Hose, HoseOptions, HoseState, LayHose } from "./hose.ts";
import { layNodeHose } from "./node_hose.ts";
import { settle } from "./settle.ts";
import { layWebHose } from "./web_hose.ts";

/** The two APIs, Web first. */
export const hoses: readonly (readonly [api: string, lay: LayHose])[] = [
  ["web", layWebHose],
  ["node", layNodeHose],
];

/** Lays a hose, waits until nothing moves any more, asks, and takes it down. */
export async function atStandstill<T>(
  lay: LayHose,
  options: HoseOptions,
  ask: (hose: Hose) => T | Promise<T>,
): Promise<T> {
  const hose = lay(options);
  await settle();
  try {
    return await ask(hose);
  } finally {
    await hose.dispose();
  }
}

/** The state of a hose in the words of a table's columns, in units of `unit`: R, T, W are the three stages. */
export function describeState(state: HoseState, unit = 1): Record<string, Fact> {
  return {
    "read": state.read / unit,
    "transformed": state.transformed / unit,
    "R out": state.readerOut / unit,
    "T in": state.transformerIn / unit,
    "T out": state.transformerOut / unit,
    "W in": state.writerIn / unit,
    "writing": state.writing / unit,
    "written": state.written / unit,
  };
}
