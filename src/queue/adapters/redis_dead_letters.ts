import type { DeadLetter, DeadLetterListOptions, DeadLetters } from "../dead_letter.ts";
import { checkDeadIds, checkDeadList } from "./check_dead.ts";
import { readFields, readRedisBody, readRedisCounts } from "./redis_delivery.ts";

/** Runs a part of the queue's script. */
export type RunRedis = (act: string, args: readonly string[]) => Promise<unknown>;

/** So many arguments at most in a call of the script, but for what must be sent as a whole. */
export const mostArguments = 30_000;

/** Parts of a list, each of at most so many. */
export function* slicesOf<T>(list: readonly T[], most: number): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += most) yield list.slice(from, from + most);
}

/** The dead letters of a queue in Redis. */
export class RedisDeadLetters<T> implements DeadLetters<T> {
  readonly #run: RunRedis;

  constructor(run: RunRedis) {
    this.#run = run;
  }

  async list(options: DeadLetterListOptions = {}): Promise<DeadLetter<T>[]> {
    const { limit, after } = checkDeadList(options);
    const letters = await this.#run("list", [`${limit}`, after ?? ""]) as [string, string[]][];
    return letters.map(([id, list]) => {
      const fields = readFields(list);
      const { counts: { deliveries, failures } } = readRedisCounts(fields);
      return {
        id,
        body: readBody(fields) as T | null,
        reason: fields.get("reason") ?? "It cannot be read",
        deliveries,
        failures,
        diedAt: new Date(Number(fields.get("diedAt")) || 0),
      };
    });
  }

  async replay(ids?: readonly string[]): Promise<number> {
    checkDeadIds("replay", ids);
    return await this.#runAll("replay", ids);
  }

  async purge(ids?: readonly string[]): Promise<number> {
    checkDeadIds("purge", ids);
    return await this.#runAll("purge", ids);
  }

  async #runAll(act: "replay" | "purge", ids: readonly string[] | undefined): Promise<number> {
    if (ids === undefined) return Number(await this.#run(act, ["all"]));
    let count = 0;
    for (const some of slicesOf(ids, mostArguments)) {
      count += Number(await this.#run(act, ["some", ...some]));
    }
    return count;
  }
}

/** What could not be read is why it is here. */
function readBody(fields: ReadonlyMap<string, string>): string | Uint8Array | null {
  try {
    return readRedisBody(fields);
  } catch {
    return null;
  }
}
