import type { RunningServer } from "../../scenarios/serve/running_server.ts";

/** What a contestant serves, and how. */
export interface ServeFileJob {
  readonly folder: string;
  /** The one file in it that is asked for. */
  readonly name: string;
}

/** Starts a server on a free port of 127.0.0.1. */
export type ServeFile = (job: ServeFileJob) => Promise<RunningServer>;
