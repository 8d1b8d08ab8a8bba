// Put in by the build.
declare const builtWorkerSource: string;
declare const builtNodeLogs: string;
declare const builtRecipes: string;

/** The script of the worker, which wants the library before it. */
export const workerSource: string = builtWorkerSource;

/** What the demos did on node streams when the page was built, as JSON. */
export const nodeLogsText: string = builtNodeLogs;

/** Recipes that run here, as JSON: of each its name and code. */
export const recipesText: string = builtRecipes;
