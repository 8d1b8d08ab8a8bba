import type { Verdict } from "./verdict.ts";

const number = (value: number) => value.toLocaleString("en");

/** A verdict in words: what became of the messages, and what is wrong. */
export function describeVerdict(verdict: Verdict): string[] {
  const { sent, stored, dead, left, lost, repeats, crashes, kills, elapsedMs, problems } = verdict;
  const rest = left === 0 ? "" : ` + ${number(left)} still in the queue`;
  const sum = `${number(sent)} sent = ${number(stored)} stored + ${number(dead)} dead${rest}`;
  const lines = [
    `${lost === 0 ? sum : sum.replace("=", "≠")}; ${number(lost)} lost; ` +
    `${number(repeats)} repeats absorbed (${(elapsedMs / 1000).toFixed(1)} s)`,
  ];
  if (kills > 0) {
    const noted = crashes.lines === 0 ? "" : `; ${number(crashes.lines)} lines were committed by ` +
      `dying workers, ${number(crashes.repeated)} of them came again`;
    lines.push(`${number(kills)} workers killed${noted}`);
  }
  return [...lines, ...problems.map((problem) => `Wrong: ${problem}`)];
}
