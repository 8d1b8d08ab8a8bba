import { readFileSync } from "node:fs";
import { isMeasured, type ResultFile } from "../../bench/results/result.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { markdownTable } from "./markdown_table.ts";

/** Who is measured, by broker and contestant. */
const names: Readonly<Record<string, string>> = {
  "kafka hand": "kafkajs `eachBatch`, a commit after each 256",
  "kafka each-message": "kafkajs `eachMessage`, a commit after each 256",
  "kafka pipeline": "`kafkaQueue`",
  "sqs hand": "20 of sqs-consumer",
  "sqs pipeline": "`sqsQueue`",
};

const number = (value: number) => Math.round(value).toLocaleString("en-US");

/** Messages a second, and processor time a message, in each runtime, by the committed results. */
export function queueThroughput(): string {
  const path = new URL("../../bench/results/queues.json", import.meta.url);
  const { rows }: ResultFile = JSON.parse(readFileSync(path, "utf8"));
  const lines = Object.entries(names).map(([name, title]) => {
    const [broker, contestant] = name.split(" ");
    const cells = runtimeNames.map((runtime) => {
      const row = rows.filter(isMeasured).find((row) =>
        row.runtime === runtime && row.contestant === contestant && row.params.broker === broker
      );
      if (row === undefined) return "–";
      const { chunks, median, cpuMs } = row;
      return `${number(chunks / median * 1_000)}, ${(cpuMs * 1_000 / chunks).toFixed(1)} µs`;
    });
    return [title, ...cells];
  });
  return markdownTable(["", ...runtimeNames], lines);
}
