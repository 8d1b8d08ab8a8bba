import { createDeferred } from "../../deferred.ts";
import type { ReceiveOptions } from "../queue_source.ts";
import { pause } from "../retry_until_done.ts";
import type { NatsConnection, NatsMessage } from "./nats_client.ts";

/** How long after its end a pull may still be answered, before the broker is taken to be away. */
const graceMs = 500;

interface Pull<T> extends ReceiveOptions {
  readonly subject: string;
  readonly max: number;
  /** What is made of a message as it arrives. */
  readonly read: (message: NatsMessage) => T;
  /** Called with what arrives when the pull has been answered already. */
  readonly onLate: (late: T) => void;
}

interface Status {
  readonly code: number;
  readonly description: string;
}

/** How a pull ended: by a status of the server's, by having all, or because no answer came. */
type End = Status | "full" | "late";

/** A server that has forgotten a pull, as one that was started again, is noticed after as long. */
const longestPullMs = 2_000;

/**
 * Asks a consumer once for up to `max` messages: for those there are, or else for the first that come. It has an
 * expiry and does not wait for a full batch, so that one that is abandoned keeps no message.
 */
async function pullOnce<T>(connection: NatsConnection, pull: Pull<T>): Promise<[T[], End]> {
  const { subject, max, maxBytes, waitMs, signal, read, onLate } = pull;
  const { options } = connection as { options?: { inboxPrefix?: string } };
  const inbox = `${options?.inboxPrefix ?? "_INBOX"}.${crypto.randomUUID()}`;
  const messages: T[] = [];
  let isAnswered = false;
  let status = undefined as Status | undefined;
  const ended = createDeferred<End>();
  const subscription = connection.subscribe(inbox, {
    callback(error, message) {
      if (error !== null) return ended.reject(error);
      // Headers are looked at only where they can be the server's own word: the client would parse them for that, and a
      // message may have a status of its sender's.
      const { data, reply } = message;
      const headers = data.length === 0 && !reply ? message.headers : undefined;
      if (headers !== undefined && headers.code >= 100) {
        // A heartbeat is no end.
        if (headers.code > 199) ended.resolve(status = headers);
      } else if (isAnswered) onLate(read(message));
      else if (messages.push(read(message)) === max) ended.resolve("full");
    },
  });
  const stop = () => ended.resolve("late");
  const timer = setTimeout(stop, waitMs + graceMs);
  signal.addEventListener("abort", stop, { once: true });
  let drained: Promise<void> | undefined;
  try {
    const request = {
      batch: max,
      no_wait: true,
      expires: Math.max(1, waitMs) * 1_000_000,
      ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
    };
    connection.publish(subject, JSON.stringify(request), { reply: inbox });
    if (signal.aborted) stop();
    const end = await ended.promise;
    if (end === "late") {
      // What the server has sent by the time it learns of this is still ours.
      drained = subscription.drain().catch(() => {});
      await Promise.race([drained, pause(graceMs, AbortSignal.timeout(graceMs))]);
    }
    // A process that has stood still finds its time over before it reads what has come meanwhile.
    return [messages, end === "late" ? status ?? end : end];
  } finally {
    isAnswered = true;
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    if (drained === undefined) subscription.unsubscribe();
    else drained.then(() => subscription.unsubscribe());
  }
}

/** Asks until there are messages, the time is over or `signal` aborts. */
export async function natsPull<T>(connection: NatsConnection, pull: Pull<T>): Promise<T[]> {
  const until = performance.now() + pull.waitMs;
  let limits: Pick<Pull<T>, "max" | "maxBytes"> = pull;
  while (true) {
    const leftMs = Math.ceil(until - performance.now());
    const waitMs = Math.min(longestPullMs, Math.max(1, leftMs));
    const { max, maxBytes } = limits;
    const [messages, end] = await pullOnce(connection, { ...pull, max, maxBytes, waitMs });
    if (messages.length > 0 || pull.signal.aborted) return messages;
    if (end === "late") throw new Error("The broker does not answer");
    if (end === "full" || end.code === 404) return [];
    if (limits.maxBytes !== undefined && /max ?bytes/i.test(end.description)) {
      // The first one alone is larger: it comes by itself.
      limits = { max: 1, maxBytes: undefined };
      continue;
    }
    // Others wait for as many messages as there are.
    if (end.code !== 408) throw new Error(`The broker answers ${end.code} ${end.description}`);
    if (performance.now() >= until) return [];
    await pause(10, pull.signal);
  }
}
