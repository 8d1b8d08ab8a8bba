import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import type { CaseRequest } from "./workload.ts";

/** A case: workload, contestant, runtime and parameters. */
export interface BenchCase extends CaseRequest {
  readonly workload: string;
  readonly runtime: RuntimeName;
  /** Flags that the contestant needs of Node. */
  readonly nodeFlags: readonly string[];
  /** Flags of V8 that it is given in Deno. */
  readonly denoV8Flags?: readonly string[];
  /** Variables of the environment that it is given besides. */
  readonly environment?: Readonly<Record<string, string>>;
}
