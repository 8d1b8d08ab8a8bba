import { pipeline } from "@hosepipe/streams";

const fail = () => {
  throw new Error("why");
};

/** Runs with options until it fails, or not. */
async function outcomeOf(source, sink, options) {
  try {
    return (await pipeline(source, sink, options)).chunksWritten;
  } catch (reason) {
    return reason?.message ?? reason;
  }
}

/** What each option of `pipeline` does where nothing else is imported. */
export async function sayOptions() {
  let failure;
  const failed = await outcomeOf([1], fail, {
    runName: "bundled",
    callSite: true,
    onFailure: (where) => failure = where,
  });
  const site = /:\d+$/.test(failure.callSite) ? "site" : failure.callSite;
  let stall;
  let goOn;
  // The watch alone keeps no process going.
  const timer = setTimeout(() => {}, 10_000);
  await outcomeOf([1], () => new Promise((resolve) => goOn = resolve), {
    stallAfterMs: 1,
    onStall(run) {
      stall = run;
      goOn();
    },
  });
  clearTimeout(timer);
  const ends = [];
  const open = () =>
    new WritableStream({
      close: () => void ends.push("close"),
      abort: () => void ends.push("abort"),
    });
  const source = (pull) => new ReadableStream({ pull, cancel: () => void ends.push("cancel") });
  const ended = await outcomeOf([1], open(), { preventClose: true });
  const aborted = await outcomeOf(source(fail), open(), { preventAbort: true });
  const given = await outcomeOf(source((c) => c.enqueue(1)), fail, { preventCancel: true });
  const signal = AbortSignal.abort("enough");
  const stopped = await outcomeOf([1], () => {}, { signal });
  const { pipeline: run, side, chunkIndex } = failure;
  return [
    ...[failed, run, side, chunkIndex, site, stall.waitsFor[0].what],
    ...[ended, aborted, given, stopped, ends.length],
  ].join(", ");
}
