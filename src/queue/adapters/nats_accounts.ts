import { byteLengthOf } from "../../byte_length.ts";
import type { NatsClient, NatsConnection } from "./nats_client.ts";
import { type Flaw, readCounts } from "./read_counts.ts";

const timeoutMs = 5_000;

/** What the broker refuses, with the number that says why. */
export class NatsApiError extends Error {
  override name = "NatsApiError";
  readonly code: number;

  constructor(description: string, code: number) {
    super(description);
    this.code = code;
  }
}

/** Asks JetStream, such as `STREAM.INFO.orders`; rejects with what it refuses. */
export async function natsApi<R>(
  client: NatsClient,
  connection: NatsConnection,
  name: string,
  request?: unknown,
): Promise<R> {
  const body = request === undefined ? "" : JSON.stringify(request);
  const answer = await connection.request(`${client.apiPrefix}.${name}`, body, {
    timeout: timeoutMs,
  });
  const { error, ...rest } = JSON.parse(new TextDecoder().decode(answer.data));
  if (error !== undefined) {
    throw new NatsApiError(`JetStream answers to ${name}: ${error.description}`, error.err_code);
  }
  return rest as R;
}

/** What the settings of a stream say of its limits; none is set where it is missing, or below 1. */
export interface NatsLimits {
  readonly discard?: string;
  readonly max_msgs?: number;
  readonly max_bytes?: number;
  readonly max_msgs_per_subject?: number;
  readonly discard_new_per_subject?: boolean;
  readonly max_msg_size?: number;
}

/** Why a stream with these settings would drop messages that are not done silently; `undefined` if it would not. */
export function findDrops(limits: NatsLimits, isOnePerSubject = false): string | undefined {
  const isSet = (name: keyof NatsLimits) => (limits[name] as number | undefined ?? -1) > 0;
  const full = (["max_msgs", "max_bytes"] as const).find(isSet);
  if (full !== undefined && limits.discard !== "new") {
    return `with ${full} set discard must be "new", or messages are dropped where it is full`;
  }
  if (!isOnePerSubject && isSet("max_msgs_per_subject") && !limits.discard_new_per_subject) {
    return "with max_msgs_per_subject set discard_new_per_subject must be, or messages are dropped";
  }
  return undefined;
}

/** What JetStream does not count of a message. */
export interface NatsAccount {
  /** Names the message, since a stream that was made again has the same sequence numbers. */
  readonly id: string;
  readonly failures: number;
  readonly nacked: number;
  readonly isolations: number;
  /** How long it is to wait at its next delivery before it is worked on: its worker has died of it, maybe. */
  readonly delayMs: number;
  /** Whether there may be a note of it. */
  readonly isNoted: boolean;
  /** Why its note cannot be read. */
  readonly flaw?: Flaw | undefined;
}

/** What is kept of a dead letter, beside its body. */
export interface NatsLetter {
  readonly id: string;
  readonly reason: string;
  readonly sequence: number;
  readonly deliveries: number;
  readonly failures: number;
  readonly diedAt: string;
}

/** The account of a message that nothing has happened to. */
export function newAccount(id: string): NatsAccount {
  return { id, failures: 0, nacked: 0, isolations: 0, delayMs: 0, isNoted: false };
}

/** What a note says; one that cannot be read is a flaw of its message. */
function readNote(id: string, data: string): NatsAccount {
  const isNoted = true;
  try {
    const { delayMs, nacked, ...kept } = JSON.parse(atob(data));
    const { counts: { failures, isolations }, flaw } = readCounts({ ...kept, deliveries: nacked });
    if (flaw === undefined) {
      return {
        id,
        failures,
        nacked,
        isolations,
        delayMs: Math.max(0, Number(delayMs) || 0),
        isNoted,
      };
    }
  } catch {
    // No JSON.
  }
  const reason = new Error("The note of its failures cannot be read");
  return { ...newAccount(id), isNoted, flaw: { reason } };
}

/** So many notes are looked at where all would be too many. */
const mostNotes = 256;
const noMessageFound = 10_037;
const streamNotFound = 10_059;
const nameInUse = 10_058;

/** The second stream of a queue: a note for each message that failed or was given back, and the dead letters. */
export class NatsAccounts {
  readonly #client: NatsClient;
  readonly #connection: NatsConnection;
  readonly #of: { readonly stream: string; readonly consumer: string };
  readonly #stream: string;

  constructor(
    client: NatsClient,
    connection: NatsConnection,
    of: { readonly stream: string; readonly consumer: string },
  ) {
    this.#client = client;
    this.#connection = connection;
    this.#of = of;
    this.#stream = `${of.stream}_${of.consumer}_dead`;
  }

  /** Makes the stream if it is not there, as safe as that of the messages. */
  async open({ storage, num_replicas, max_msg_size }: NatsLimits & NatsSafety): Promise<void> {
    const { stream, consumer } = this.#of;
    const description = `Dead letters of consumer ${consumer} of stream ${stream}`;
    try {
      await this.#api(`STREAM.CREATE.${this.#stream}`, {
        storage,
        num_replicas,
        description,
        name: this.#stream,
        subjects: [`${this.#stream}.>`],
        // Only the last word on a message counts: so one that is written twice is there once.
        max_msgs_per_subject: 1,
        retention: "limits",
        discard: "old",
        max_consumers: -1,
        max_msgs: -1,
        max_bytes: -1,
        max_age: 0,
      });
    } catch (error) {
      if (!(error instanceof NatsApiError && error.code === nameInUse)) throw error;
    }
    // It may be there with settings of its owner's, or for another queue: a_b and c give the same name as a and b_c.
    const { config } = await this.#api<{ config: NatsLimits & { readonly description?: string } }>(
      `STREAM.INFO.${this.#stream}`,
    );
    const refuse = (problem: string) =>
      new Error(`Cannot use stream ${this.#stream} for dead letters: ${problem}`);
    const other = config.description?.startsWith("Dead letters of consumer ") ?? false;
    if (other && config.description !== description) {
      throw refuse(`it says that it has the ${config.description!.replace("D", "d")}`);
    }
    const drops = findDrops(config, true);
    if (drops !== undefined) throw refuse(drops);
    const most = config.max_msg_size ?? -1;
    if (most > 0 && !(most >= (max_msg_size ?? -1) && (max_msg_size ?? -1) > 0)) {
      throw refuse(`max_msg_size must not be less than that of stream ${stream}`);
    }
  }

  /** The account of a message; asked of the leader, since a replica might not know yet. */
  async read(id: string): Promise<NatsAccount> {
    try {
      const { message } = await this.#api<{ message: { data: string } }>(
        `STREAM.MSG.GET.${this.#stream}`,
        { last_by_subj: `${this.#stream}.note.${id}` },
      );
      return readNote(id, message.data);
    } catch (error) {
      if (!(error instanceof NatsApiError && error.code === noMessageFound)) throw error;
      return newAccount(id);
    }
  }

  async write({ id, failures, nacked, isolations, delayMs }: NatsAccount): Promise<void> {
    const note = JSON.stringify({ failures, nacked, isolations, delayMs });
    await this.#client.publish(`${this.#stream}.note.${id}`, note);
  }

  /** Those that one worker has died with alone, as far as is noted: its delay is taken back at the next delivery. */
  async countOrphans(): Promise<number> {
    const prefix = `${this.#stream}.note.`;
    const { state } = await this.#api<SubjectsInfo>(
      `STREAM.INFO.${this.#stream}`,
      { subjects_filter: `${prefix}*` },
    );
    const noted = Object.keys(state.subjects ?? {}).slice(0, mostNotes);
    const accounts = await Promise.all(
      noted.map((subject) => this.read(subject.slice(prefix.length))),
    );
    return accounts.filter(({ isolations, delayMs }) => isolations === 1 && delayMs === 0).length;
  }

  /** Drops the accounts of messages that are done; a note that stays behind does no harm. */
  forget(accounts: readonly NatsAccount[]): void {
    for (const { id, isNoted } of accounts) {
      if (!isNoted) continue;
      const filter = `${this.#stream}.note.${id}`;
      this.#api(`STREAM.PURGE.${this.#stream}`, { filter }).catch(() => {});
    }
  }

  /** Keeps a message with the reason; the body first, so that a letter always has one. */
  async deadLetter(body: string | Uint8Array, letter: NatsLetter): Promise<void> {
    await this.#client.publish(`${this.#stream}.body.${letter.id}`, body);
    await this.#client.publish(`${this.#stream}.letter.${letter.id}`, this.#cut(letter));
  }

  /** A letter as JSON; its reason is cut to what the broker takes. */
  #cut(letter: NatsLetter): string {
    const most = this.#connection.info?.max_payload ?? Infinity;
    for (let { reason } = letter;; reason = reason.slice(0, reason.length >> 1)) {
      const json = JSON.stringify({ ...letter, reason });
      if (reason === "" || byteLengthOf(json)! <= most) return json;
    }
  }

  async countDead(): Promise<number> {
    try {
      const subjects_filter = `${this.#stream}.letter.*`;
      let count = 0;
      // The server reports so many subjects at a time.
      while (true) {
        const { total, state } = await this.#api<SubjectsInfo>(
          `STREAM.INFO.${this.#stream}`,
          { subjects_filter, offset: count },
        );
        const page = Object.keys(state.subjects ?? {}).length;
        count += page;
        if (page === 0 || count >= (total ?? 0)) return count;
      }
    } catch (error) {
      if (error instanceof NatsApiError && error.code === streamNotFound) return 0;
      throw error;
    }
  }

  #api<R>(name: string, request?: unknown): Promise<R> {
    return natsApi<R>(this.#client, this.#connection, name, request);
  }
}

/** How safe what a stream has is. */
export interface NatsSafety {
  readonly storage: string;
  readonly num_replicas: number;
}

interface SubjectsInfo {
  readonly total?: number;
  readonly state: { readonly subjects?: Readonly<Record<string, number>> };
}
