import { planStages } from "../engine/plan_stages.ts";
import { throwTypeError } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import { integer, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import { LeasedMessage, type Message } from "./message.ts";
import { MessageRuns } from "./message_runs.ts";
import type { PerMessage } from "./per_message_signatures.ts";
import type { PerMessageOptions } from "./per_message_types.ts";
import type { Output } from "./output.ts";

/**
 * Runs each message through the stages separately: the stages start with it and flush after it, so no line or batch
 * mixes two messages. Each output carries its message, which is acknowledged once its last output is stored; a
 * message without output is acknowledged at the end of its run. A message that fails, fails alone.
 *
 * A stage that keeps state in its own closure shares that state among messages; none of this library's stages does.
 *
 * @param stages Transformers, as `new TransformStream()` takes them; with none the body is the output.
 * @param options Last, and optional: how many messages at a time.
 * @returns A transformer from messages to outputs.
 * @throws {TypeError} If a stage is not a transformer, `concurrency` is not a number, or an option is unknown.
 * @throws {RangeError} If `concurrency` is not a positive integer.
 *
 * @example The lines of each message
 * ```ts
 * import { lines, pipeline } from "@hosepipe/streams";
 * import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
 * import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
 * import { DatabaseSync } from "node:sqlite";
 * import assert from "node:assert/strict";
 *
 * const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "jobs" });
 * await queue.send(["a\nb", "c"]);
 *
 * const written: [body: unknown, index: number, value: string][] = [];
 * const consumer = new Consumer(queue);
 * await pipeline(
 *   messages(consumer),
 *   perMessage(lines()),
 *   stored(consumer, (outputs) => {
 *     for (const { message, index, value } of outputs) written.push([message.body, index, value]);
 *     if (written.length === 3) consumer.stop();
 *   }),
 * );
 *
 * assert.deepEqual(written, [["a\nb", 0, "a"], ["a\nb", 1, "b"], ["c", 0, "c"]]);
 * ```
 */
export const perMessage: PerMessage = createPerMessage as PerMessage;

function isOptions(value: unknown): value is PerMessageOptions {
  return typeof value === "object" && value !== null && "concurrency" in value;
}

function createPerMessage(...args: readonly unknown[]): Transformer<Message, Output> {
  const action = "create perMessage";
  const last = args.at(-1);
  const options = isOptions(last) ? last : {};
  const stages = isOptions(last) ? args.slice(0, -1) : args.filter((stage) => stage !== undefined);
  const { concurrency } = readOptions(action, options, { concurrency: integer(1) });
  const plans = planStages(action, stages.length === 0 ? [{}] : stages);

  return operator((controller) => {
    const runs = new MessageRuns(controller, plans, concurrency, {
      call: { action: "perMessage", stages },
      from: 0,
    });
    return {
      transform(message: Message) {
        if (!(message instanceof LeasedMessage)) {
          throwTypeError("run perMessage", "chunk", "a message of a consumer", message);
        }
        return runs.add(message);
      },
      flush: () => runs.finish(),
      cancel: (reason) => runs.cancel(reason),
    };
  }, { name: "perMessage" });
}
