/** What a document says of a workload that the results have no row of. */
export function notMeasured(workload: string): string {
  return `Not measured in these results: \`deno task bench --workload ${workload}\` does.`;
}
