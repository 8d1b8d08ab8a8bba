// Put in by the build.
declare const builtWorkerSource: string;
declare const builtNodeLogs: string;

/** The script of the worker, with the whole library in it. */
export const workerSource: string = builtWorkerSource;

/** What the demos did on node streams when the page was built, as JSON. */
export const nodeLogsText: string = builtNodeLogs;
