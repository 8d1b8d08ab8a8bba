import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import type { Facts } from "./probes.ts";

/** What one runtime answered. */
export interface Measured {
  readonly name: RuntimeName;
  readonly version: string;
  readonly facts: Facts;
}
