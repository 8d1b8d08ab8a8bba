import { Duplex } from "node:stream";
import type { Callback } from "./call_back.ts";
import { endEarly, trackSources } from "./early_end.ts";
import { SinkSide } from "./sink_side.ts";
import { SourceSide } from "./source_side.ts";
import { toError, toReason } from "./stage_error.ts";
import { WebSink } from "./web_sink.ts";
import { WebSource } from "./web_source.ts";

/** Makes an object-mode `Duplex` of a pair of Web streams. */
export function pairDuplex(
  { readable, writable }: { readable: ReadableStream; writable: WritableStream },
  highWaterMark: number,
): Duplex {
  let failure: { reason: unknown } | undefined;
  let hasEnded = false;

  // `terminate` closes the output and fails the input with a TypeError: that is an early end, not an error.
  const checkEarlyEnd = (): void => {
    if (failure === undefined || stream.destroyed) return;
    if (!(failure.reason instanceof TypeError)) stream.destroy(toError(failure.reason));
    else if (hasEnded) {
      sink.discard();
      endEarly(stream);
    } else if (source.isReading) {
      // The end that belongs to a `terminate` needs no new turn: an output still silent then is open.
      setTimeout(() => {
        if (source.isReading) stream.destroy(toError(failure!.reason));
      }, 0);
    }
  };

  const stream: Duplex = new Duplex({
    objectMode: true,
    highWaterMark,
    read() {
      output.read();
      checkEarlyEnd();
    },
    write: (chunk, _encoding, callback) => input.write(chunk, callback),
    final: (callback) => input.close(callback),
    destroy(error, callback) {
      let waiting = 2;
      let firstError = error;
      const settle: Callback = (failure) => {
        // A pair that is one, such as a `TransformStream`, fails the one side with what the other was given.
        if (toReason(failure) !== toReason(error ?? undefined)) firstError ??= failure ?? null;
        if (--waiting === 0) callback(firstError);
      };
      output.destroy(error, settle);
      input.destroy(error, settle);
    },
  });
  const source = new WebSource(readable, () => {
    hasEnded = true;
    checkEarlyEnd();
  });
  const output = new SourceSide(stream, source);
  const sink = new WebSink(writable);
  const input = new SinkSide(sink, (reason) => {
    failure = { reason };
    checkEarlyEnd();
  }, true);
  input.start();
  trackSources(stream);
  return stream;
}
