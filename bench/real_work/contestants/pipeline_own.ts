import { filter, formatNdjson, map, parseNdjson, pipeline } from "../../../mod.ts";
import { readAhead } from "../../text/read_ahead.ts";
import { withLineSink } from "../../text/with_line_sink.ts";
import type { RealJob, RunRealWork } from "../job.ts";
import { enrichOrder, isOrder, type Order, projectOrder, type ShopEvent } from "../steps/steps.ts";

async function open({ from, url, inputPath }: RealJob) {
  return from === "http" ? (await fetch(url)).body! : readAhead(inputPath);
}

export const pipelineOwn: RunRealWork = (job) =>
  withLineSink(job.outputPath, async (sink) => {
    const stages = [
      parseNdjson<ShopEvent>(),
      filter(isOrder),
      map(projectOrder),
      map((order: Order) => enrichOrder(order, job.customers)),
      formatNdjson(),
    ] as const;
    const write = (line: string) => sink.write(line);
    const source = await open(job);
    if (job.from !== "gzip") await pipeline(source, ...stages, write);
    else await pipeline(source, new DecompressionStream("gzip"), ...stages, write);
  });
