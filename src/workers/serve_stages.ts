import { createDeferred, type Deferred } from "../deferred.ts";
import { runPipeline } from "../pipeline/run_pipeline.ts";
import { carryError } from "./carry_error.ts";
import type { AnyStage, StagesDefinition } from "./stages_definition.ts";
import { findUncloneable } from "./find_uncloneable.ts";
import type { FromThread, ThreadPort, ToThread } from "./messages.ts";
import { checkMemory } from "./check_memory.ts";
import { packChunks, type PackedChunks, unpackChunks } from "./packed_chunks.ts";

type Port = ThreadPort<FromThread, ToThread>;

/** A block that a thread works on. */
interface OpenBlock {
  readonly stop: AbortController;
  /** What waits until more is asked for. */
  demand: Deferred<void> | undefined;
}

/** Runs the stages of a definition over the blocks that a port brings: one at a time, the next while one waits. */
export function serveStages(port: Port, definition: StagesDefinition<unknown, unknown>): void {
  const open = new Map<number, OpenBlock>();
  const waiting: { readonly id: number; readonly chunks: PackedChunks }[] = [];
  let options: unknown;
  const running = new Set<number>();

  const makeStages = (): readonly AnyStage[] => {
    const made = definition.make(options);
    return Array.isArray(made) ? made : [made as AnyStage];
  };

  async function runBlock(id: number, chunks: PackedChunks, block: OpenBlock): Promise<void> {
    const startedAtMs = performance.now();
    let part: unknown[] = [];
    let partBytes = 0;
    const send = (isLast: boolean) => {
      const busyMs = performance.now() - startedAtMs;
      try {
        port.post({ type: "part", id, chunks: packChunks(part), isLast, busyMs });
      } catch (error) {
        const place = findUncloneable(part, "chunks");
        throw new TypeError(`Cannot send what a stage made: ${place ?? String(error)}`, {
          cause: error,
        });
      }
      part = [];
      partBytes = 0;
    };
    const write = (chunk: unknown): void | Promise<void> => {
      part.push(chunk);
      partBytes += sizeOf(chunk);
      if (part.length < maxChunks && partBytes < maxBytes) return;
      block.demand = createDeferred<void>();
      send(false);
      running.delete(id);
      startNext();
      return block.demand.promise.then(() => {
        if (open.get(id) === block) running.add(id);
      });
    };
    try {
      await runPipeline(unpackChunks(chunks), [...makeStages(), write, {
        signal: block.stop.signal,
      }]);
      if (!block.stop.signal.aborted) send(true);
    } catch (reason) {
      if (block.stop.signal.aborted) return;
      let error = reason;
      if (part.length > 0) {
        try {
          send(false);
        } catch (other) {
          error = other;
        }
      }
      port.post({ type: "failed", id, error: carryError(error) });
    }
  }

  function startNext(): void {
    while (running.size === 0) {
      const next = waiting.shift();
      if (next === undefined) return;
      const block = open.get(next.id);
      if (block === undefined) continue;
      running.add(next.id);
      void runBlock(next.id, next.chunks, block).finally(() => {
        open.delete(next.id);
        running.delete(next.id);
        startNext();
      });
    }
  }

  port.listen((message) => {
    if (message.type === "start") {
      options = message.options;
      try {
        checkMemory(makeStages(), message.memory);
        port.post({ type: "ready" });
      } catch (error) {
        port.post({ type: "refused", error: carryError(error) });
      }
    } else if (message.type === "block") {
      open.set(message.id, { stop: new AbortController(), demand: undefined });
      waiting.push(message);
      startNext();
    } else {
      const block = open.get(message.id);
      if (message.type === "cancel") {
        open.delete(message.id);
        block?.stop.abort();
      }
      block?.demand?.resolve();
    }
  });
}

/** Of a block's output so much is gathered before it is sent on. */
const maxChunks = 1_024;
const maxBytes = 1_048_576;

function sizeOf(chunk: unknown): number {
  if (typeof chunk === "string") return chunk.length;
  return ArrayBuffer.isView(chunk) ? chunk.byteLength : 0;
}
