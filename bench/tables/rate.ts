/** What a table shows of a row besides its time. */
export type Rate = "ns per chunk" | "MiB/s";
