import type { ResultFile } from "../../bench/results/result.ts";
import { historyChart } from "./bench/history_table.ts";
import { realWorkChart } from "./bench/real_work_chart.ts";
import { hosePicture } from "./hose_picture.ts";
import { inScheme } from "./in_scheme.ts";
import { drawOperator } from "./operators/draw_operator.ts";
import { operatorPrograms } from "./operators/operator_programs.ts";
import { passesChart } from "./passes_chart.ts";

/** The images that documents show, by file name; the same to the byte for the same results. */
export const images: Readonly<
  Record<string, (results: ResultFile, runs: readonly ResultFile[]) => Promise<string>>
> = {
  "history.svg": historyChart,
  "hose.svg": () => hosePicture(),
  "hose-dark.svg": async () => inScheme(await hosePicture(), "dark"),
  "hose-light.svg": async () => inScheme(await hosePicture(), "light"),
  "hose-narrow-dark.svg": async () => inScheme(await hosePicture("narrow"), "dark"),
  "hose-narrow-light.svg": async () => inScheme(await hosePicture("narrow"), "light"),
  ...Object.fromEntries(
    Object.entries(operatorPrograms).map(([name, program]) => [
      `operator-${name}.svg`,
      () => drawOperator(name, program),
    ]),
  ),
  "passes.svg": passesChart,
  "real-work.svg": (_, runs) => realWorkChart(runs),
};
