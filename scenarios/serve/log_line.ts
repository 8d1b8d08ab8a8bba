import type { AnswerRecord } from "./running_server.ts";

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

const two = (value: number) => String(value).padStart(2, "0");

/** A date as the common log format has it, in UTC: `10/Oct/2000:13:55:36 +0000`. */
function logDate(date: Date): string {
  const day = [two(date.getUTCDate()), months[date.getUTCMonth()], date.getUTCFullYear()].join("/");
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
  return `${day}:${time} +0000`;
}

/** Keeps what a client sent from ending its field or line. */
function escape(text: string): string {
  return text.replace(
    /["\\]|[^\x20-\x7e]/gu,
    (character) =>
      [...new TextEncoder().encode(character)].map((byte) =>
        `\\x${byte.toString(16).padStart(2, "0")}`
      )
        .join(""),
  );
}

/** One line of a log in the common log format: who, when, what, and what came of it. */
export function logLine(record: AnswerRecord, now: Date): string {
  const { remoteAddress, method, target, protocol, status, sent } = record;
  const request = escape(`${method} ${target} ${protocol}`);
  return `${remoteAddress} - - [${logDate(now)}] "${request}" ${status} ${sent === 0 ? "-" : sent}`;
}
