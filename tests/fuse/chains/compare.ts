import { type Chain, type Outcome, type Way, worksAhead } from "./chain.ts";

/** What may end a chain before its source does, or make it fail. */
interface Enders {
  /** A stage that ends the chain without a failure. */
  readonly early: number;
  /** A stage, source or sink that fails by itself. */
  readonly failing: number;
  /** What comes from outside, at no fixed place in the order of chunks; the consumer's cancel is one. */
  readonly outside: number;
  /** What fails only while the chain is torn down. */
  readonly cleanUp: number;
  /** All but the last kind. */
  readonly count: number;
}

export function endersOf({ stages, source, sink, ends }: Chain): Enders {
  const enders = { early: 0, failing: 0, outside: ends.length, cleanUp: 0 };
  for (const { operator, failure, start, flush, cancel } of stages) {
    if (operator === "take" || operator === "takeWhile") enders.early++;
    if (failure) enders[failure.how === "terminate" ? "early" : "failing"]++;
    for (const hook of [start, flush]) {
      if (hook?.mode === "terminate") enders.early++;
      else if (hook?.mode === "throw" || hook?.mode === "error") enders.failing++;
    }
    if (cancel && cancel.mode !== "log") enders.cleanUp++;
  }
  if (source.ending === "error") enders.failing++;
  if (source.hasTraps) enders.failing++;
  if (source.cancel && source.cancel.mode !== "log") enders.cleanUp++;
  if (sink.endsAt !== undefined) enders[sink.shape === "reads" ? "outside" : "failing"]++;
  if (sink.start && sink.start.mode !== "log") enders.failing++;
  if (sink.close && sink.close.mode !== "log") enders.failing++;
  if (sink.abort && sink.abort.mode !== "log") enders.cleanUp++;
  return { ...enders, count: enders.early + enders.failing + enders.outside };
}

/** Whether a stage may end without a failure, so that those behind it are flushed with less than all chunks. */
function endsEarly(chain: Chain): boolean {
  return endersOf(chain).early > 0 || chain.ends.some(({ what }) => what === "terminate");
}

/** The chain without what ends it. */
export function calmed(chain: Chain): Chain {
  return {
    ...chain,
    stages: chain.stages.map((stage) => ({
      ...stage,
      failure: undefined,
      start: stage.start &&
        (stage.start.mode === "enqueue" ? stage.start : { ...stage.start, mode: "log" as const }),
      flush: stage.flush &&
        (stage.flush.mode === "enqueue" ? stage.flush : { ...stage.flush, mode: "log" as const }),
    })),
    source: { ...chain.source, ending: "close" },
    sink: {
      ...chain.sink,
      strategy: {},
      endsAt: undefined,
      start: undefined,
      close: undefined,
      abort: undefined,
    },
    writableStrategy: {},
    ends: [],
  };
}

function isPrefix(part: readonly string[], whole: readonly string[]): boolean {
  return part.length <= whole.length && part.every((chunk, index) => chunk === whole[index]);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && isPrefix(one, other);
}

/** The name of what a run failed with; undefined if it did not. */
function failureOf(result: string): string | undefined {
  return /^(?:failed|threw) (.*)$/s.exec(result)?.[1];
}

function show(chunks: readonly string[]): string {
  return chunks.length > 20
    ? `${chunks.length}: ${chunks.slice(0, 5)} … ${chunks.slice(-5)}`
    : `${chunks.length}: ${chunks}`;
}

/** Whether a source with a queue of its own drops what waits there when it fails, which depends on time. */
function dropsInSource({ source, ends }: Chain): boolean {
  const fails = source.ending === "error" || ends.some(({ what }) => what === "source");
  return fails && (["start", "tee", "bytes", "writes"].includes(source.shape) ||
    source.burst > 1 || source.strategy.highWaterMark !== 0);
}

/**
 * Whether something drops what it holds when it fails: such a source, or a pair, of which a pipe has taken as much as
 * the microtasks in between allowed.
 */
function dropsIn(chain: Chain): boolean {
  return dropsInSource(chain) || chain.stages.some(({ isPair }) => isPair);
}

function isSinkFailing({ sink: { start, close } }: Chain): boolean {
  return [start, close].some((hook) => hook !== undefined && hook.mode !== "log");
}

/** Whether what is delivered follows from the chain alone, and not from the time that its ends take. */
export function isExact(chain: Chain): boolean {
  const { early, failing, outside } = endersOf(chain);
  const { source, sink } = chain;
  return early + outside === 0 && failing === 1 && !dropsIn(chain) && !source.hasTraps &&
    sink.endsAt === undefined && !isSinkFailing(chain);
}

/** The names that anything in a chain may fail with. */
function reasonsOf(chain: Chain): Set<string> {
  const named = (label: string, kind: number) => ["", "undefined", "null", ""][kind] || label;
  const reasons = new Set(["TypeError", "signal", "outside", "undefined", "null", "", "trapped"]);
  const add = (label: string, kind: number) => reasons.add(kind === 0 ? label : named(label, kind));
  for (const [index, { failure, start, flush, cancel }] of chain.stages.entries()) {
    if (failure) add(`transform ${index}`, failure.kind);
    for (const [name, hook] of Object.entries({ start, flush, cancel })) {
      if (hook) add(`${name} ${index}`, hook.kind);
    }
  }
  for (
    const name of ["source", "sink", "start sink", "close sink", "abort sink", "cancel source"]
  ) {
    reasons.add(name);
  }
  return reasons;
}

/** Whether a run may fail so: what is aborted with `undefined` fails with a reason of the platform's. */
function isReason(reason: string, reasons: ReadonlySet<string>): boolean {
  return reasons.has(reason) || reason.startsWith("AbortError: ");
}

/** Whether a name that somebody heard is that of something in the chain. */
function isKnown(heard: string, reasons: ReadonlySet<string>): boolean {
  const [, reason] = /^(?:cancel|abort) (.*)$/s.exec(heard) ?? [];
  return reason === undefined || isReason(reason, reasons);
}

/** What must hold in a run by itself, whatever raced in it. */
function* ownProblems(chain: Chain, way: Way, ours: Outcome, calm: Outcome | undefined) {
  const reasons = reasonsOf(chain);
  const failure = failureOf(ours.result);
  if (failure !== undefined && !isReason(failure, reasons)) {
    yield `failed with what nothing threw: ${failure}`;
  }
  if (!endsEarly(chain) && calm && !isPrefix(ours.chunks, calm.chunks)) {
    yield `chunks that cannot be: ${show(ours.chunks)}; without an end ${show(calm.chunks)}`;
  }
  for (const [index, hooks] of ours.hooks.entries()) {
    const ends = hooks.filter((hook) => hook !== "start");
    if (ends.length > 1) yield `stage ${index} heard several ends: ${hooks}`;
    if (!ends.every((heard) => isKnown(heard, reasons))) {
      yield `stage ${index} heard a stranger: ${hooks}`;
    }
  }
  if (!isKnown(ours.source, reasons)) yield `source heard a stranger: ${ours.source}`;
  if (!isKnown(ours.sink, reasons)) yield `sink heard a stranger: ${ours.sink}`;
  if (way === "run" && failure !== undefined) {
    // A teed source hears of it when both branches are cancelled.
    const isTold = ours.source !== "" || ours.hasSourceEnded || chain.source.shape === "tee";
    if (!isTold) yield `source heard nothing of ${failure}`;
  }
}

/** Whether one of the two may wait for ever and the other not. */
function mayHang(chain: Chain, way: Way, native: Outcome, ours: Outcome): boolean {
  if (native.result === ours.result) return true;
  if (ours.result === "hung" && ours.outsideEnds < native.outsideEnds) return true;
  // What works ahead looks for room in a native stream by timers, and a chain in which nothing moves is not waited for.
  const asks = chain.stages.some(({ operator }) => operator === "flatMapAhead");
  if (native.result === "hung" && asks) return true;
  const { sink } = chain;
  if (sink.shape === "reads" || sink.strategy.highWaterMark !== 0) return false;
  // Into a sink that takes nothing, `pipeline` reads nothing, where native chains run ahead into their queues; but an
  // end that it hears of needs no room, unless it stands behind a chunk.
  const isFull = chain.stages.some(({ start }) => start?.mode === "enqueue");
  if (way === "run") return isFull || !native.result.startsWith("failed start");
  // A failure that stands behind chunks in the queue of the readable side is not seen before them.
  return native.result === "hung" || failureOf(native.result) !== undefined ||
    endersOf(chain).outside > 0;
}

/**
 * What is wrong with ours beside one native run, in sentences.
 *
 * A chain that nothing ends early must do what native does: chunks, result, what source, sink, writer and stages
 * hear. With one thing that ends it, the ends must be native's, and
 * - after a failure native's chunks are a prefix of ours, which are a prefix of what the chain gives without it: what
 *   was made before a failure is delivered;
 * - after an end from outside ours are such a prefix: how far a chain has come then is a matter of time; it may have
 *   come to its end before;
 * - a stage before the one that ends has heard its flush or its cancel, and the source was cancelled or had ended,
 *   depending on how far each had run ahead;
 * - the first failure wins over a failing clean-up, and over the `TypeError` of a stage that enqueues while its
 *   asynchronous `flush` goes on, or its `cancel`, where there are other stages.
 *
 * With several, they race: any of them may win, and what everybody heard must be the reason of one of them.
 */
export function compare(
  chain: Chain,
  way: Way,
  native: Outcome,
  ours: Outcome,
  calm: Outcome | undefined,
): string[] {
  const enders = endersOf(chain);
  const { early, outside, cleanUp } = enders;
  // A stage may fail by what an odd chunk is: it cannot be made a text.
  const isByChunk = enders.failing + outside === 0 && failureOf(native.result) !== undefined;
  const failing = enders.failing + (isByChunk ? 1 : 0);
  const count = enders.count + (isByChunk ? 1 : 0);
  const problems: string[] = [];
  const say = (text: string) => void problems.push(text);
  const isRace = count > 1;

  const isOver = ours.result !== "hung" && !ours.result.startsWith("threw");
  // No method is called after a `terminate` from outside: a copied generator that waits for its next chunk waits on,
  // and a write for it. Whether one waits then is a matter of moments.
  const isUnheard = chain.ends.some(({ what, stage }) =>
    what === "terminate" && chain.stages[stage]?.operator === "stage"
  );
  if (isOver && !isUnheard && ours.openIterators > native.openIterators) {
    say(`iterators left open: ${ours.openIterators}`);
  }
  for (const fault of ours.faults) if (!native.faults.includes(fault)) say(fault);
  if ([native, ours].some(({ result }) => result === "hung") && mayHang(chain, way, native, ours)) {
    return ours.result === "hung"
      ? problems
      : [...problems, ...ownProblems(chain, way, ours, calm)];
  }
  if (native.result.startsWith("threw")) {
    // What `fuse` and `pipeTo` throw when they are called, `pipeline` rejects with.
    const expected = way === "run" ? native.result.replace("threw", "failed") : native.result;
    // Of several that throw while a chain is made, the order of making decides.
    if (isRace && failureOf(ours.result) !== undefined) return problems;
    if (ours.result !== expected && ours.result !== native.result) {
      say(`result: native ${native.result}, ours ${ours.result}`);
    }
    return problems;
  }

  const { chunks } = ours;
  const hasClosed = [native.result, ours.result].includes("closed");
  const isWhole = calm !== undefined && hasClosed && isSame(chunks, calm.chunks);
  if (isRace || (outside > 0 && isWhole)) {
    if (ours.result === "hung" && native.result !== "hung") {
      say(`result: native ${native.result}, ours hung`);
    }
    return [...problems, ...ownProblems(chain, way, ours, calm)];
  }
  const mayCome = native.result === "closed" || native.result === "hung";
  if (outside > 0 && mayCome && failureOf(ours.result) !== undefined) {
    return [...problems, ...ownProblems(chain, way, ours, calm)];
  }

  // What enqueues after a `terminate` from outside throws, which fails what still waits to be read, if anything does.
  const results = [native.result, ours.result];
  if (
    chain.ends.some(({ what }) => what === "terminate") &&
    results.includes("failed TypeError") && results.includes("closed")
  ) return [...problems, ...ownProblems(chain, way, ours, calm)];

  if (count > 0) problems.push(...ownProblems(chain, way, ours, calm));
  if (native.result !== "hung") {
    const isPiped = chain.source.shape !== "tee" && !isUnheard;
    if (ours.isSourceLocked && !native.isSourceLocked && isPiped) {
      say("lock: the source stays locked");
    }
    if (ours.isSinkLocked && !native.isSinkLocked) say("lock: the sink stays locked");
  }
  // While one stage alone is cancelled it is to be as a native stream in this, too, unless its start goes on meanwhile.
  const isAlone = way === "fused" && chain.stages.length === 1 &&
    (chain.stages[0]!.start?.delay ?? 0) === 0;
  const endsLater = chain.stages.some(({ cancel, flush, operator }) =>
    operator === "compose" ||
    [isAlone ? undefined : cancel, flush].some((hook) => hook !== undefined && hook.delay > 0)
  );
  const failure = failureOf(ours.result);
  const isCleanUp = cleanUp > 0 && failureOf(native.result) !== undefined;
  // Where nothing else has failed, a failing clean-up is a failure of `pipeline`; pipes keep it to themselves.
  const cleanUps = [chain.source, ...chain.stages.filter(({ isPair }) => isPair)];
  const isOnlyFailure = way === "run" && native.result === "closed" &&
    cleanUps.some(({ cancel }) => cancel !== undefined && cancel.mode !== "log");
  const isTearDown = endsLater && count > 0 &&
    [native.result, ours.result].includes("failed TypeError");
  // While its cancel goes on, what is made or written is dropped or waits; natively to enqueue it fails.
  const isDroppedLate = (heard: string, own: string) =>
    isAlone && count > 0 && (chain.stages[0]!.cancel?.delay ?? 0) > 0 &&
    heard.endsWith("TypeError") && !own.endsWith("TypeError");
  const isExcused = isCleanUp || isTearDown || isOnlyFailure ||
    isDroppedLate(native.result, ours.result);
  if (ours.result !== native.result && !(isExcused && failure !== undefined)) {
    say(`result: native ${native.result}, ours ${ours.result}`);
  }
  if (failing === 0 && outside === 0) {
    if (!isSame(native.chunks, chunks)) {
      say(`chunks: native ${show(native.chunks)}; ours ${show(chunks)}`);
    }
  } else if (failing === 1 && !dropsIn(chain) && !isPrefix(native.chunks, chunks)) {
    say(`chunks lost: native ${show(native.chunks)}; ours ${show(chunks)}`);
  }

  /** Whether two heard the same, but for a reason that the tear-down replaced. */
  const isLike = (heard: string, own: string) =>
    heard === own ||
    (heard.split(" ")[0] === own.split(" ")[0] &&
      (cleanUp > 0 ||
        (endsLater && count > 0 && [heard, own].some((end) => end.endsWith("TypeError")))));

  // A default reader's cancel tells of the flush or cancel of a stage, which may enqueue after it.
  const isLateEnqueue = endsLater && outside > 0 &&
    [native.sink, ours.sink].some((heard) => heard === "cancelling failed TypeError");
  if (!isLike(native.sink, ours.sink) && !isLateEnqueue && !isDroppedLate(native.sink, ours.sink)) {
    say(`sink: native ${native.sink}, ours ${ours.sink}`);
  }
  if (!isLike(native.source, ours.source) && !isDroppedLate(native.source, ours.source)) {
    // Who had reached the end of the source had nothing to cancel.
    const hadEnded = (one: Outcome, other: Outcome) =>
      one.source === "" && one.hasSourceEnded && other.source !== "";
    // Engines differ in whether an iterator is closed whose promise was rejected.
    const isClosed = chain.source.hasTraps && ours.source === "return" && native.source === "";
    const isOwn = failure !== undefined && ours.source === `cancel ${failure}`;
    if (
      count === 0 ||
      !(isClosed || hadEnded(native, ours) || hadEnded(ours, native) ||
        (outside > 0 && (isOwn || native.source === "")))
    ) {
      say(`source: native ${native.source}, ours ${ours.source}`);
    }
  }
  const isSingle = chain.stages.length === 1 && chain.stages[0]!.operator !== "compose";
  if (!isSame(ours.writer, native.writer) && !(early > 0 || failing > 0 || outside > 0)) {
    say(`writer: native ${native.writer.join(", ")}; ours ${ours.writer.join(", ")}`);
  } else if (isSingle && outside === 0 && !isSinkFailing(chain)) {
    // A later stage, or a sink that starts, fails while the first stage closes; a dictionary that looks for room now
    // and then closes later than one that hears of it.
    const closesLater = chain.stages[0]!.operator === "flatMap" && chain.sink.endsAt !== undefined;
    if (!closesLater && ours.writer[0] !== native.writer[0]) {
      say(`writer closed: native ${native.writer[0]}; ours ${ours.writer[0]}`);
    }
  }
  for (const [index, hooks] of native.hooks.entries()) {
    const own = ours.hooks[index]!;
    if (isSame(hooks, own)) continue;
    const endOf = (all: readonly string[]) => all.find((hook) => hook !== "start");
    const theirEnd = endOf(hooks);
    const ownEnd = endOf(own);
    const isOther = own.includes("start") === hooks.includes("start") && count > 0 &&
      [theirEnd, ownEnd].some((end) => end === undefined || end === "flush");
    const { flush, cancel } = chain.stages[index]!;
    // One who does not listen to both has nothing to say where it heard the other.
    const isUnheard = (end: string | undefined) =>
      end !== undefined || flush === undefined || cancel === undefined;
    if (isOther && (outside > 0 || (isUnheard(theirEnd) && isUnheard(ownEnd)))) continue;
    // Its calls fail while it waits for them, in its flush or before.
    if (count > 0 && worksAhead.has(chain.stages[index]!.operator)) continue;
    if (theirEnd !== undefined && ownEnd !== undefined && isLike(theirEnd, ownEnd)) {
      continue;
    }
    say(`stage ${index} heard: native ${hooks}; ours ${own}`);
  }
  return problems;
}
