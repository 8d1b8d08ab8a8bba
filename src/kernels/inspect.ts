import { describeValue } from "../errors.ts";
import { meaningOf } from "./registry.ts";

/** What `console.log` asks an object for its words by, in Deno, Bun and Node. */
export const inspectSymbol: unique symbol = Symbol.for("nodejs.util.inspect.custom") as never;

/** A stage by what made it: "map(getName)", "compose(lines(), parseNdjson())". */
export function describeStage(stage: unknown): string {
  if (typeof stage === "function") return `stage(${stage.name || "fn"})`;
  const meaning = meaningOf(Object(stage));
  if (meaning === undefined) return describeValue(stage);
  const { name = "stage", fn, stages } = meaning;
  const given = stages?.map(describeStage).join(", ") ?? (fn && (fn.name || "fn")) ?? "";
  return `${name}(${given})`;
}
