/** Runs one contestant once in this process and prints its peak memory in MiB. */
import { devNull } from "node:os";
import process from "node:process";
import { contestants } from "../../../bench/copy_lines/contestants.ts";
import { peakRssMiB } from "../../../bench/measure/peak_rss.ts";

const [name, inputPath] = process.argv.slice(2) as [string, string];
const contestant = contestants.find((entry) => entry.name === name)!;
const copyLines = await contestant.load();
const linesRead = await copyLines({ inputPath, outputPath: devNull, passes: 0 });
console.log(JSON.stringify({ linesRead, peakRssMiB: peakRssMiB() }));
process.exit(0);
