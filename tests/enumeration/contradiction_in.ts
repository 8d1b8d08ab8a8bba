import type { Schedule } from "./schedule.ts";

interface Turned {
  readonly event: string;
  readonly turn: number;
}

/** Events with their turns. */
function turned(log: readonly string[]): Turned[] {
  let turn = 0;
  return log.flatMap((event) => {
    if (event !== "|") return [{ event, turn }];
    turn++;
    return [];
  });
}

/** Whether chunks are the first ones, each once and in their order. */
function isInOrder(chunks: readonly (string | undefined)[]): boolean {
  return chunks.every((chunk, index) => chunk === `c${index}`);
}

function chunksOf(log: readonly string[], event: RegExp): (string | undefined)[] {
  return log.flatMap((one) => {
    const found = event.exec(one);
    return found === null ? [] : [found[1]];
  });
}

/** A reason has the name of the step or the method that made it. */
function isKnown(reason: string, { deviations }: Schedule, log: readonly string[]): boolean {
  const step = /^(?:abort|cancel|signal|error source|error sink) \d+$/;
  return reason === "TypeError" || reason === "undefined" ||
    deviations.some(({ at, does }) =>
      at === reason || step.test(reason) && reason.startsWith(`${does} `)
    ) ||
    log.length === 0;
}

/** What a stage did after its end, or twice. */
function stageContradiction(
  { stages, deviations }: Schedule,
  log: readonly string[],
): string | undefined {
  const isOver = log.some((event) => event.startsWith("pipe ")) ||
    ["writer", "reader"].every((party) =>
      !deviations.some(({ does }) => does === `release ${party}`) &&
      log.some((event) => event.startsWith(`${party}: closed `))
    );
  let before = Infinity;
  for (let stage = 0; stage < stages; stage++) {
    const name = `stage ${stage}: `;
    const own = log.filter((event) => event.startsWith(name));
    const end = own.findIndex((event) => /: (?:flush|cancel)/.test(event));
    if (own.findLastIndex((event) => event.endsWith(": start")) !== 0 && own.length > 0) {
      return `${name}start`;
    }
    if (end >= 0 && end < own.length - 1) return `${own[end]}, then ${own[end + 1]}`;
    const chunks = chunksOf(own, /: transform (c\d+)$/);
    if (!isInOrder(chunks) || chunks.length > before) return `${name}${chunks}`;
    before = chunks.length;
    const hasFailed = deviations.some(({ at, does }) =>
      !does.startsWith("fulfils") && new RegExp(`^(?:start|transform|flush) ${stage}\\b`).test(at)
    );
    if (isOver && own.length > 0 && end < 0 && !hasFailed) return `${name}no end`;
  }
  return undefined;
}

/** What is written twice in the log, though it can be but once. */
function twiceIn(log: readonly string[]): string | undefined {
  const once =
    /^(?:(?:writer|reader): \w+ \d+ [=!]|pipe [=!]|sink: (?:close|abort)|source: cancel)/;
  const seen = new Set<string>();
  return log.find((event) => {
    const name = once.exec(event)?.[0].replace(/ [=!]$/, "").replace(/^sink: \w+/, "sink");
    if (name === undefined) return false;
    if (seen.has(name)) return true;
    seen.add(name);
    return false;
  });
}

function writerContradiction({ deviations }: Schedule, log: readonly string[]): string | undefined {
  const written = log.filter((event) => /^writer: write \d+ = done$/.test(event));
  const taken = log.filter((event) => event.startsWith("stage 0: transform "));
  if (written.length > taken.length) return `${written.at(-1)} of ${taken.length} chunks`;
  if (deviations.some(({ does }) => does === "release writer")) return undefined;
  const size = log.find((event) => event.startsWith("writer: desiredSize "))?.split(" ").at(-1);
  const closed = log.filter((event) => event.startsWith("writer: closed "));
  const ready = log.findLast((event) => event.startsWith("writer: ready "));
  const close = log.find((event) => /^writer: close \d+ = done$/.test(event));
  if (size === undefined) {
    return log.some((event) => event.startsWith("make # ")) ? undefined : "no desiredSize";
  }
  if (closed.length > 1) return `${closed}`;
  if (close !== undefined && closed[0] !== "writer: closed = done") return `${close}, ${closed[0]}`;
  const aborted = log.find((event) => /^writer: abort \d+ [=!]/.test(event));
  if (aborted !== undefined && closed.length === 0) return `${aborted}, and not closed`;
  const [, failure] = closed[0]?.split(" ! ") ?? [];
  if (closed[0] === "writer: closed = done") {
    return size === "0" && close !== undefined ? undefined : `${closed[0]}, ${size}, ${close}`;
  }
  if (failure === undefined) return undefined;
  if (size !== "null") return `${closed[0]}, ${size}`;
  const turnOf = (event: string) =>
    turned(log).findLast((one) => one.event === event)?.turn ?? Infinity;
  return turnOf(`writer: ready ! ${failure}`) <= turnOf(closed[0]!) &&
      ready === `writer: ready ! ${failure}`
    ? undefined
    : `${closed[0]}, ${ready}`;
}

function readerContradiction({ deviations }: Schedule, log: readonly string[]): string | undefined {
  if (deviations.some(({ does }) => does === "release reader")) return undefined;
  const events = turned(log).filter(({ event }) => event.startsWith("reader: "));
  const closed = events.filter(({ event }) => event.startsWith("reader: closed "));
  if (closed.length > 1) return closed.map(({ event }) => event).join();
  const reads = events.filter(({ event }) => event.startsWith("reader: read "));
  if (!isInOrder(chunksOf(reads.map(({ event }) => event), / = (c\d+)$/))) return "chunks";
  const firstEnd = reads.findIndex(({ event }) => !/ = c\d+$/.test(event));
  if (firstEnd < 0) return undefined;
  if (closed.length === 0) return `${reads[firstEnd]!.event}, and not closed`;
  const outcome = closed[0]!.event === "reader: closed = done"
    ? "= end"
    : closed[0]!.event.slice("reader: closed ".length);
  const wrong = reads.find(({ event }, index) =>
    index >= firstEnd && !event.endsWith(` ${outcome}`)
  );
  return wrong && `${closed[0]!.event}, ${wrong.event}`;
}

/** Whether a run may fail with this though its sink was closed: by how the ends answer, after an early end, or in between. */
function isAfterClose({ deviations }: Schedule, failure: string): boolean {
  if (/^(?:close sink$|cancel |signal )/.test(failure)) return true;
  if (failure.startsWith("error sink ")) return deviations.some(({ at }) => at === "close sink");
  return /^(?:error source|pull) /.test(failure) &&
    deviations.some(({ does }) => does === "terminates");
}

function pipeContradiction(schedule: Schedule, log: readonly string[]): string | undefined {
  const { stages, deviations } = schedule;
  const find = (start: RegExp) => log.find((event) => start.test(event))?.replace(start, "");
  const [result, failure] = [find(/^pipe (?=[=!])/), find(/^pipe ! /)];
  const end = find(/^sink: (?=close|abort )/);
  const writes = chunksOf(log, /^sink: write (c\d+)$/);
  const made = stages === 0
    ? writes
    : chunksOf(log, new RegExp(`^stage ${stages - 1}: transform (c\\d+)$`));
  if (!isInOrder(writes) || writes.length > made.length) return `wrote ${writes}`;
  const isFree = log.includes("source: free") && log.includes("sink: free");
  if (isFree !== (result !== undefined)) return `pipe ${result}, ${log.slice(-2)}`;
  if (result === undefined) return undefined;
  const events = turned(log);
  const over = events.find(({ event }) => event.startsWith("pipe "))!.turn;
  // What a signal gives up goes on by itself.
  const late = events.find(({ event, turn }) =>
    turn > over && /^(?:sink: (?!free)|stage |source: cancel)/.test(event)
  );
  if (late !== undefined && !deviations.some(({ does }) => does === "signal")) return late.event;
  if (failure === undefined) {
    if (end !== "close") return `pipe ${result}, sink ${end}`;
    const mayEnd = deviations.some(({ does }) => /^(?:terminates|close source)$/.test(does));
    return mayEnd || writes.length === schedule.chunks ? undefined : `pipe ${result}, ${writes}`;
  }
  if (end === "close" && !isAfterClose(schedule, failure)) return `pipe ${result}, sink ${end}`;
  const hasSinkFailed = deviations.some(({ at, does }) =>
    does === "error sink" || /^(?:write|close sink)\b/.test(at)
  );
  if (end === undefined && !hasSinkFailed) return `pipe ${result}, and the sink goes on`;
  if (end?.startsWith("abort ") && end !== `abort ${failure}`) return `pipe ${result}, sink ${end}`;
  return undefined;
}

/** What cannot be of one run, whatever the rules excuse: an event twice, a chunk that is lost, a promise against another. */
export function contradictionIn(schedule: Schedule, log: readonly string[]): string | undefined {
  const unknown = log.find((event) => {
    const reason = / (?:[!#]|abort|cancel) ([a-z]+(?: [a-z]+)? ?[\d.]*|TypeError)$/.exec(event)
      ?.[1];
    return reason !== undefined && !isKnown(reason, schedule, log);
  });
  return unknown ?? twiceIn(log) ?? stageContradiction(schedule, log) ??
    (schedule.way === "fuse"
      ? writerContradiction(schedule, log) ?? readerContradiction(schedule, log)
      : pipeContradiction(schedule, log));
}
