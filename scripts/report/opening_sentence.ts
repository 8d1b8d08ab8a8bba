import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import { bestRatioRange } from "../../bench/results/ranges.ts";
import type { Params } from "../../bench/results/params.ts";
import type { ResultFile } from "../../bench/results/result.ts";
import { writeRatioRange } from "../documents/bench/write_range.ts";

/** What the sentence may be about, the most telling first. */
const subjects: readonly { workload: string; params: Params; opening: string }[] = [
  {
    ...{ workload: "real_work", params: { from: "file" } },
    opening: "For lines of JSON from a file to a file Web Streams take",
  },
  {
    ...{ workload: "copy_lines", params: { passes: 100 } },
    opening: "With 100 stages that do nothing Web Streams take",
  },
];

/** The sentence that says most; empty if these results do not have what it is made of. */
export function openingSentence(results: readonly ResultFile[]): string {
  for (const { workload, params, opening } of subjects) {
    const found = runtimeNames.flatMap((runtime) => {
      const query = (contestant: string) => ({ workload, contestant, runtime, params });
      const webs = ["web", "web-16"].map(query);
      const range = bestRatioRange(results, webs, query("pipeline"));
      return range === undefined
        ? []
        : [{ ratio: writeRatioRange(range), title: descriptors[runtime].title }];
    });
    const [first, ...others] = found;
    if (first === undefined) continue;
    const more = others.map(({ ratio, title }) => `, ${ratio} in ${title}`).join("");
    return `${opening} ${first.ratio} times as long as pipeline in ${first.title}${more}.`;
  }
  return "";
}
