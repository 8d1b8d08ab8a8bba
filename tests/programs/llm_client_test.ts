import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type VirtualTime, virtualTime } from "@hosepipe/streams/testing";
import { errorOf } from "../lib/error_of.ts";
import { range } from "../lib/range.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";
import type { Answer, LlmClient, Prompt } from "./_llm_client.ts";
import { askAll } from "./llm_client.ts";
import { askAll as askAllByHand } from "./llm_client_by_hand.ts";

const programs: Record<string, LlmClient> = { "with stages": askAll, "by hand": askAllByHand };

/** What the service does with one request: a status, or events of which the last may be missing. */
type Reply = number | "whole" | "cut" | "error" | "refused" | "endless";

/** A service that answers as a script says, each token after 10 ms. */
class Service {
  readonly calls: [prompt: string, atMs: number][] = [];
  readonly time: VirtualTime;
  open = 0;
  most = 0;
  readonly #script: Readonly<Record<string, readonly Reply[]>>;
  readonly #replied = new Map<string, number>();

  constructor(time: VirtualTime, script: Readonly<Record<string, readonly Reply[]>>) {
    this.time = time;
    this.#script = script;
  }

  readonly fetch = (_url: string, { body, signal }: RequestInit): Promise<Response> => {
    const { prompt } = JSON.parse(body as string) as { prompt: string };
    const nth = this.#replied.get(prompt) ?? 0;
    this.#replied.set(prompt, nth + 1);
    this.calls.push([prompt, this.time.now]);
    const reply = this.#script[prompt]?.[nth] ?? "whole";
    if (reply === "refused") return Promise.reject(new TypeError("fetch failed"));
    if (typeof reply === "number") return Promise.resolve(new Response("no", { status: reply }));
    this.most = Math.max(this.most, ++this.open);
    return Promise.resolve(new Response(this.#events(prompt, reply, signal!)));
  };

  #events(prompt: string, reply: Reply, signal: AbortSignal): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    const events = [...`re: ${prompt}`].map((text) => `data: ${JSON.stringify({ text })}\n\n`);
    if (reply === "whole") events.push("data: [DONE]\n\n", ": what comes after is not read\n\n");
    if (reply === "error") events.splice(2, Infinity, "event: error\ndata: overloaded\n\n");
    if (reply === "cut") events.splice(3, Infinity);
    let at = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      if (at === Infinity) return;
      at = Infinity;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      this.open--;
    };
    let onAbort = () => {};
    return new ReadableStream({
      start: (controller) => {
        onAbort = () => {
          end();
          controller.error(signal.reason);
        };
        signal.addEventListener("abort", onAbort);
      },
      pull: (controller) =>
        new Promise((resolve) => {
          timer = setTimeout(() => {
            if (at < events.length) controller.enqueue(encoder.encode(events[at++]));
            else if (reply === "endless") controller.enqueue(encoder.encode(": wait\n\n"));
            else if (at !== Infinity) {
              end();
              controller.close();
            }
            resolve();
          }, 5);
        }),
      cancel: end,
    }, { highWaterMark: 0 });
  }
}

function promptsOf(count: number, tokens = 10): Prompt[] {
  return range(count).map((id) => ({ id, text: `question ${id}`, tokens }));
}

interface Asked {
  readonly answers: Answer[];
  readonly calls: readonly [string, number][];
  readonly most: number;
  readonly ending: unknown;
}

/** Runs a program with a service of its own, in a time of its own. */
async function ask(
  program: LlmClient,
  prompts: Iterable<Prompt>,
  script: Readonly<Record<string, readonly Reply[]>>,
  rest: { tokensPerSecond?: number; burst?: number; abortsAtMs?: number; sinkFailsAt?: number } =
    {},
): Promise<Asked> {
  const { random } = Math;
  Math.random = () => 0.5;
  await using time = virtualTime();
  try {
    const service = new Service(time, script);
    const stop = new AbortController();
    if (rest.abortsAtMs !== undefined) setTimeout(() => stop.abort("enough"), rest.abortsAtMs);
    const answers: Answer[] = [];
    const ending = await time.run(
      errorOf(
        program(prompts, {
          fetch: service.fetch,
          ...{ tokensPerSecond: 1000, burst: 100, concurrency: 3, ...rest },
          onAnswer: (answer) => {
            if (answers.push(answer) === rest.sinkFailsAt) throw "no room";
          },
          signal: stop.signal,
        }).then((retried) => assertEquals(retried, countRetried(service.calls))),
      ),
    );
    await time.advance(0);
    assertEquals([service.open, time.timers], [0, 0], "a connection or a timer is left");
    return { answers, calls: service.calls, most: service.most, ending };
  } finally {
    Math.random = random;
  }
}

function countRetried(calls: readonly [string, number][]): number {
  const seen = new Map<string, number>();
  for (const [prompt] of calls) seen.set(prompt, (seen.get(prompt) ?? 0) + 1);
  return [...seen.values()].filter((count) => count > 1).length;
}

type Rest = Parameters<typeof ask> extends [unknown, ...infer Others] ? Others : never;

async function askBoth(...rest: Rest): Promise<Asked> {
  const ours = await ask(askAll, ...rest);
  assertEquals(await ask(askAllByHand, ...rest), ours);
  return ours;
}

const answered = (count: number): Answer[] =>
  promptsOf(count).map(({ id, text }) => ({ id, text: `re: ${text}` }));

/** What is asked, how it ends, and what comes of it; how many calls that takes. */
const scenes: Record<string, [given: Rest, ending: unknown, answers: Answer[], calls?: number]> = {
  "no question at all": [[[], {}], "none", [], 0],
  "all answers, in their order": [[promptsOf(8), {}], "none", answered(8), 8],
  "it asks again after 429, 500, a broken connection, a cut and an event that says so": [
    [promptsOf(6), {
      "question 0": [429],
      "question 1": [500, 503, 429],
      "question 2": ["refused"],
      "question 3": ["cut"],
      "question 5": ["error", "cut"],
    }],
    "none",
    answered(6),
    6 + 8,
  ],
  "what never succeeds is an answer that says so, the rest goes on": [
    [promptsOf(4), { "question 1": [400], "question 2": [500, 500, 500, 500, 500] }],
    "none",
    answered(4).map((answer) => {
      const { id } = answer;
      if (id === 0 || id === 3) return answer;
      return { id, failure: `Error: the service answered ${id === 1 ? 400 : 500}` };
    }),
    1 + 1 + 4 + 1,
  ],
  "an answer that cannot be stored ends all": [
    [promptsOf(20), { "question 1": ["error"] }, { sinkFailsAt: 4 }],
    ["no room"],
    answered(4),
  ],
  ...Object.fromEntries([0, 5, 55, 300, 777].map((abortsAtMs) => [
    `a signal after ${abortsAtMs} ms stops calls, waits for tokens and waits to ask again`,
    [
      [
        promptsOf(20, 30),
        { "question 0": ["endless"], "question 1": [500, 500] },
        { abortsAtMs, tokensPerSecond: 60, burst: 60 },
      ],
      ["enough"],
      [],
    ],
  ])),
};

for (const [name, [given, ending, answers, calls]] of Object.entries(scenes)) {
  test(`an LLM client, both programs: ${name}`, async () => {
    const unhandled = await unhandledDuring(async () => {
      const asked = await askBoth(...given);
      assertEquals([asked.ending, asked.answers], [ending, answers]);
      if (calls !== undefined) assertEquals(asked.calls.length, calls);
      assert(asked.most <= 3);
    });
    assertEquals(unhandled, []);
  });
}

test("an LLM client, both programs: no more tokens go out than allowed", async () => {
  const prompts = promptsOf(10, 50);
  const { calls } = await askBoth(prompts, {}, { tokensPerSecond: 100, burst: 100 });
  for (const [index, [, atMs]] of calls.entries()) {
    const spent = 50 * (index + 1);
    assert(spent <= 100 + atMs / 1000 * 100 + 1e-6, `${spent} tokens after ${atMs} ms`);
  }
  assertEquals(calls.at(-1)![1], 4000);
});

test("an LLM client, both programs: a prompt above what may ever go ends all, by a RangeError", async () => {
  const prompts = [...promptsOf(1), { id: 1, text: "long", tokens: 101 }];
  for (const [name, program] of Object.entries(programs)) {
    const { ending } = await ask(program, prompts, {});
    assert((ending as [unknown])[0] instanceof RangeError, name);
  }
});
