import { renderTables } from "../../bench/tables/render_tables.ts";
import type { Row } from "../../bench/results/result.ts";
import type { Workload } from "../../bench/measure/workload.ts";

/** The tables of some rows: each workload's own, or the general ones; `verbose` adds the floor and the bars. */
export function printTables(
  rows: readonly Row[],
  workloads: readonly Workload[],
  verbose: boolean,
): string {
  const find = (name: string) => workloads.find((workload) => workload.name === name);
  const entriesOf = (name: string) => find(name)?.contestants ?? [];
  const isGeneral = ({ workload }: Row) => find(workload)?.renderRows === undefined;
  const general = renderTables(rows.filter(isGeneral), {
    order: (workload) => entriesOf(workload).map(({ name }) => name),
    note: (workload, contestant) => entriesOf(workload).find((e) => e.name === contestant)?.note,
    rates: (workload) => find(workload)?.rates ?? [],
    bars: (workload) => find(workload)?.bars ?? [],
    verbose,
  });
  const own = workloads.map(({ name, renderRows }) =>
    renderRows?.(rows.filter(({ workload }) => workload === name)) ?? ""
  );
  return [general, ...own].filter(Boolean).join("\n\n");
}
