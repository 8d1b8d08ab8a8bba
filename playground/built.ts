import type { DemoEvent } from "../scenarios/demo/demo_event.ts";

/** An event of either API, as far as it is shown. */
export type LoggedEvent = Omit<DemoEvent, "hose" | "answer">;

/** What the demos did on node streams when the page was built. */
export interface NodeLogs {
  /** The runtime whose node streams were recorded, with its version. */
  readonly recordedIn: string;
  readonly demos: Readonly<Record<string, readonly LoggedEvent[]>>;
}

/** Code of the documentation to begin with, by its heading. */
export interface Recipe {
  readonly name: string;
  readonly code: string;
}

// Put in by the build.
declare const builtWorkerSource: string;
declare const builtNodeLogs: NodeLogs;
declare const builtRecipes: readonly Recipe[];

/** The script of the worker, which wants the library before it. */
export const workerSource: string = builtWorkerSource;

export const nodeLogs: NodeLogs = builtNodeLogs;

/** Recipes that run here. */
export const recipes: readonly Recipe[] = builtRecipes;
