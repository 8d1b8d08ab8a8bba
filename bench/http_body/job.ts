import type { ServerResponse } from "node:http";

/** One step of the body: text to text. */
export type BodyStep = (text: string) => string;

/** One answer: every contestant takes the same pieces of text through the same steps into the response, and ends it. */
export interface BodyJob {
  readonly pieces: readonly string[];
  readonly steps: readonly BodyStep[];
  readonly response: ServerResponse;
}

/** Sends the body; a contestant is one such function. */
export type SendBody = (job: BodyJob) => Promise<void>;
