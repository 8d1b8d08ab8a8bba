import { probe, writer } from "@hosepipe/streams";
import { seededRandom } from "../../../bench/results/seeded_random.ts";
import { lastAdmittingSink } from "../../../scenarios/concurrency/last_admitting_sink.ts";
import { messageDelays } from "../../../scenarios/concurrency/message_delays.ts";
import { GateClock } from "../../gated/gate_clock.ts";

/** One write of a contestant. */
export interface TimedWrite {
  readonly startMs: number;
  endMs: number | undefined;
  /** The row it is drawn in: the first that was free. */
  readonly lane: number;
}

/** How the writes of one job are made. */
export interface Contestant {
  readonly name: string;
  readonly code: string;
  readonly writes: TimedWrite[];
}

/** What there is to write. */
export interface RaceOptions {
  readonly messages: number;
  readonly concurrency: number;
}

type Write = (chunk: string) => Promise<void>;

const seed = 1;

/** The same slow writes in three ways, side by side on one clock. */
export class Race {
  readonly clock: GateClock = new GateClock();
  readonly options: RaceOptions;
  readonly contestants: readonly Contestant[];
  /** The time of everything that happened, in order. */
  readonly times: number[] = [];
  /** How long the writes take, one after the other. */
  readonly sumMs: number;
  readonly #delays: readonly number[];
  readonly #stop = new AbortController();

  constructor(options: RaceOptions) {
    this.options = options;
    const { messages, concurrency } = options;
    this.#delays = messageDelays(messages, seededRandom(seed));
    this.sumMs = this.#delays.reduce((sum, delay) => sum + delay, 0);
    this.contestants = [
      this.#enter(
        "one slot",
        "new WritableStream({ write })",
        (write) => new WritableStream({ write }),
      ),
      this.#enter(
        "a pool that waits for the newest",
        "write() waits for the write that began last",
        (
          write,
        ) => new WritableStream(lastAdmittingSink(write, concurrency)),
      ),
      this.#enter(
        "any write that ends lets the next in",
        `writer(write, { concurrency: ${concurrency} })`,
        (
          write,
        ) => writer(write, { concurrency }),
      ),
    ];
  }

  /** Starts one contestant; what it writes is seen by a probe. */
  #enter(name: string, code: string, open: (write: Write) => WritableStream<string>): Contestant {
    const { clock } = this;
    const writes: TimedWrite[] = [];
    const running = new Map<string, TimedWrite>();
    const look = probe({
      capacity: 0,
      identify: String,
      now: () => clock.now(),
      onEvent: ({ event, id = "", timeMs }) => {
        if (event === "write") {
          const taken = new Set([...running.values()].map(({ lane }) => lane));
          let lane = 0;
          while (taken.has(lane)) lane++;
          const write: TimedWrite = { startMs: timeMs, endMs: undefined, lane };
          writes.push(write);
          running.set(id, write);
        } else if (event === "written") {
          running.get(id)!.endMs = timeMs;
          running.delete(id);
        } else return;
        this.times.push(timeMs);
      },
    });
    const ids = Array.from({ length: this.options.messages }, (_, index) => String(index + 1));
    let next = 0;
    const readable = new ReadableStream<string>(look.reader<string>({
      pull: (controller) => {
        if (next < ids.length) controller.enqueue(ids[next++]);
        else controller.close();
      },
    }));
    const write = look.writer(
      (id: string) => clock.sleep(this.#delays[Number(id) - 1]!, name),
    ) as Write;
    readable.pipeTo(open(write), { signal: this.#stop.signal }).catch(() => {});
    return { name, code, writes };
  }

  /** Whether everything is written. */
  isOver(): boolean {
    return this.contestants.every((contestant) =>
      finishedMs(contestant, this.options) !== undefined
    );
  }

  stop(): void {
    this.#stop.abort();
    this.clock.stop();
  }
}

/** When a contestant's last write had ended; `undefined` while it runs. */
export function finishedMs(
  { writes }: Contestant,
  { messages }: RaceOptions,
): number | undefined {
  if (writes.length < messages || writes.some(({ endMs }) => endMs === undefined)) return undefined;
  return Math.max(...writes.map(({ endMs }) => endMs!));
}
