import type { Axis, Chart } from "./chart.ts";

const isLog = ({ scale }: Axis) => scale === "log" || scale === "symlog";

/** Says how to read a chart's logarithmic axes; empty if it has none. */
export function axisNote({ kind, position, value }: Chart): string {
  if (!isLog(value)) return "";
  const reading =
    `The axis of ${value.title} is logarithmic: the same distance is always the same ` +
    "number of times as long.";
  if (kind !== "lines" || !isLog(position)) return reading;
  const end = position.scale === "symlog" ? ", beyond its first step" : "";
  return `${reading} So is the axis of ${position.title}${end}.`;
}
