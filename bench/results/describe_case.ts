import { describeParams } from "./describe_params.ts";
import type { RowIdentity } from "./result.ts";

/** Names a case for people, such as `copy_lines passes=100: web/node`. */
export function describeCase(
  { workload, contestant, runtime, params }: Omit<RowIdentity, "runtimeVersion" | "wallMs">,
): string {
  return `${
    [workload, describeParams(params)].filter(Boolean).join(" ")
  }: ${contestant}/${runtime}`;
}
