import type { Measured } from "../rows/measured.ts";

/** How long one server took for the same messages. */
export interface SyncRow extends Measured {
  readonly syncInterval: "default" | "always";
  readonly round: number;
  /** Messages of each call of `send`. */
  readonly callSize: number;
  readonly messages: number;
  readonly sendSeconds: number;
  /** Of receiving and acknowledging them, 100 at a time. */
  readonly receiveSeconds: number;
}
