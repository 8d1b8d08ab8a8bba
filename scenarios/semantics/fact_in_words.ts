import type { Fact } from "./probe.ts";

const whats: Readonly<Record<string, string>> = {
  "cancel": "cancel",
  "abort": "abort",
  "rejected": "rejects",
  "fulfilled": "fulfils",
  "thrown": "throws",
  "destroy": "destroyed",
};

const reasons: Readonly<Record<string, string>> = {
  "same": " as is",
  "none": ", no reason",
  "wrapped": ", wrapped",
};

/** How something ended, such as `destroy(same)!`. */
function describeEnd(text: string): string | undefined {
  const match = /^([a-z]+)\(([^()]+)\)(!?)$/.exec(text);
  if (match === null || whats[match[1]!] === undefined) return undefined;
  const what = match[3] === "!" ? "error" : whats[match[1]!]!;
  return `${what}${reasons[match[2]!] ?? `, ${match[2]}`}`;
}

function ordinal(count: number): string {
  const ending = count % 100 >= 11 && count % 100 <= 13 ? 0 : count % 10;
  return `${count}${["th", "st", "nd", "rd"][ending] ?? "th"}`;
}

/** What is read after each write, such as `4×0 5 4×0 5 4×0 5 0`. */
function describeReads(text: string): string | undefined {
  const each = /^\d+×(\d+)$/.exec(text);
  if (each !== null) return `${each[1]} after each`;
  const pulse = /^(?:(\d+)×)?0 (\d+)(?: (?:(\d+)×)?0 (\d+))* 0$/.exec(text);
  if (pulse === null) return undefined;
  const step = `${pulse[1] === undefined ? "" : `${pulse[1]}×`}0 ${pulse[2]}`;
  const times = text.slice(0, -2).split(step);
  if (times.some((rest) => rest.trim() !== "")) return undefined;
  return `${pulse[2]} after every ${ordinal(Number(pulse[1] ?? 1) + 1)}`;
}

/** A row of answers, such as `15×yes 3×no`. */
function describeAnswers(text: string): string | undefined {
  if (!/^(?:(?:\d+×)?(?:yes|no)(?: |$))+$/.test(text) || /^(?:yes|no)$/.test(text)) {
    return undefined;
  }
  return text.split(" ").map((part) => part.includes("×") ? part.replace("×", " ") : `1 ${part}`)
    .join(", ");
}

/** A row of numbers, such as `15…-2` or `0 -1 -2`. */
function describeNumbers(text: string): string | undefined {
  const range = /^(-?\d+)…(-?\d+)$/.exec(text);
  if (range !== null) return `${range[1]} to ${range[2]}`;
  return /^-?\d+(?: -?\d+)+$/.test(text) ? text.replaceAll(" ", ", ") : undefined;
}

/** What was measured, in words where it is an abbreviation. */
export function factInWords(fact: Fact): string {
  const text = String(fact);
  if (text === "-") return "none";
  return describeEnd(text) ?? describeReads(text) ?? describeAnswers(text) ??
    describeNumbers(text) ?? text;
}
