import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { createDeferred } from "../../../src/deferred.ts";
import {
  NatsAccounts,
  NatsApiError,
  type NatsLetter,
  newAccount,
} from "../../../src/queue/adapters/nats_accounts.ts";
import type { NatsMessage } from "../../../src/queue/adapters/nats_client.ts";
import { natsPull } from "../../../src/queue/adapters/nats_pull.ts";
import { countedSignal } from "../../lib/counted_signal.ts";
import { turns } from "../../lib/turns.ts";
import { withQuickTimers } from "../../lib/with_quick_timers.ts";
import { withTimerCount } from "../../lib/with_timer_count.ts";
import { fakeMessage, FakeNats, type FakePull } from "./_fake_nats.ts";

function accountsOf(onRequest: FakeNats["onRequest"]) {
  const nats = new FakeNats();
  nats.onRequest = onRequest;
  return { nats, accounts: new NatsAccounts(nats, nats, { stream: "jobs", consumer: "rows" }) };
}

const refusal = (err_code: number) => () => ({ error: { description: "no", err_code } });

test("the second stream is made like that of the messages; one that is there is taken as it is", async () => {
  const { nats, accounts } = accountsOf(() => ({ config: {} }));
  await accounts.open({ storage: "memory", num_replicas: 3 });
  const subject = "?$JS.API.STREAM.CREATE.jobs_rows_dead";
  assertEquals(nats.sent[0]!.startsWith(`${subject} `), true);
  assertEquals(JSON.parse(nats.sent[0]!.slice(subject.length)), {
    ...{ storage: "memory", num_replicas: 3 },
    description: "Dead letters of consumer rows of stream jobs",
    ...{ name: "jobs_rows_dead", subjects: ["jobs_rows_dead.>"], max_msgs_per_subject: 1 },
    ...{ retention: "limits", discard: "old" },
    ...{ max_consumers: -1, max_msgs: -1, max_bytes: -1, max_age: 0 },
  });
  assertEquals(nats.timeouts, [5_000, 5_000]);
  const settings = { storage: "file", num_replicas: 1 };
  const inUse = (subject: string) => subject.includes("INFO") ? { config: {} } : refusal(10_058)();
  await accountsOf(inUse).accounts.open(settings);
  const error = await assertRejects(
    () => accountsOf(refusal(10_023)).accounts.open(settings),
    NatsApiError,
    "JetStream answers to STREAM.CREATE.jobs_rows_dead: no",
  );
  assertEquals([error.code, error.name], [10_023, "NatsApiError"]);
  const broken = accountsOf(() => Promise.reject(new Error("closed")));
  await assertRejects(() => broken.accounts.open(settings), Error, "closed");
});

test("an account is what its note says; without a note nothing has happened", async () => {
  const note = btoa(JSON.stringify({ failures: 1, nacked: 2, isolations: 3, delayMs: 4 }));
  const { nats, accounts } = accountsOf(() => ({ message: { data: note } }));
  const counts = { failures: 1, nacked: 2, isolations: 3, delayMs: 4 };
  assertEquals(await accounts.read("t-7"), { id: "t-7", ...counts, isNoted: true });
  assertEquals(nats.sent, [
    '?$JS.API.STREAM.MSG.GET.jobs_rows_dead {"last_by_subj":"jobs_rows_dead.note.t-7"}',
  ]);
  const none = { id: "t-8", failures: 0, nacked: 0, isolations: 0, delayMs: 0, isNoted: false };
  assertEquals(await accountsOf(refusal(10_037)).accounts.read("t-8"), none);
  assertEquals(newAccount("t-8"), none);
  await assertRejects(() => accountsOf(refusal(10_059)).accounts.read("t-8"), NatsApiError);
  const broken = accountsOf(() => Promise.reject(new Error("closed")));
  await assertRejects(() => broken.accounts.read("t-8"), Error, "closed");
});

test("a note is written for a message, and dropped if there may be one", async () => {
  const { nats, accounts } = accountsOf(() => Promise.reject(new Error("nobody hears of this")));
  const account = {
    id: "t-7",
    failures: 1,
    nacked: 0,
    isolations: 2,
    delayMs: 9,
    isNoted: true,
  };
  await accounts.write(account);
  accounts.forget([newAccount("t-6"), account, newAccount("t-8")]);
  assertEquals(nats.sent, [
    'jobs_rows_dead.note.t-7 {"failures":1,"nacked":0,"isolations":2,"delayMs":9}',
    '?$JS.API.STREAM.PURGE.jobs_rows_dead {"filter":"jobs_rows_dead.note.t-7"}',
  ]);
  await Promise.resolve();
});

test("a dead letter is the body first, then the reason", async () => {
  const { nats, accounts } = accountsOf(() => ({}));
  const letter = { id: "t-7", reason: "why" } as NatsLetter;
  await accounts.deadLetter("text", letter);
  assertEquals(nats.sent, [
    "jobs_rows_dead.body.t-7 text",
    'jobs_rows_dead.letter.t-7 {"id":"t-7","reason":"why"}',
  ]);
});

test("dead letters are counted page by page, and none where there is no stream", async () => {
  const pages = [{ a: 1, b: 1 }, { c: 1, d: 1 }, { e: 1 }];
  for (const [total, count, requests] of [[5, 5, 3], [9, 5, 4], [2, 2, 1], [undefined, 2, 1]]) {
    const left = [...pages];
    const { nats, accounts } = accountsOf(() => ({
      ...(total === undefined ? {} : { total }),
      state: { subjects: left.shift() },
    }));
    assertEquals(await accounts.countDead(), count);
    assertEquals(nats.sent.length, requests);
    const offsets = [0, 2, 4, 5].slice(0, requests);
    assertEquals(
      nats.sent,
      offsets.map((offset) =>
        "?$JS.API.STREAM.INFO.jobs_rows_dead " +
        `{"subjects_filter":"jobs_rows_dead.letter.*","offset":${offset}}`
      ),
    );
  }
  assertEquals(await accountsOf(refusal(10_059)).accounts.countDead(), 0);
  await assertRejects(() => accountsOf(refusal(10_037)).accounts.countDead(), NatsApiError);
  const broken = accountsOf(() => Promise.reject(new Error("closed")));
  await assertRejects(() => broken.accounts.countDead(), Error, "closed");
});

test("an account is written once its note is kept, and not if that fails", async () => {
  const { nats, accounts } = accountsOf(() => ({}));
  const kept = Promise.withResolvers<void>();
  nats.publish = () => kept.promise;
  let isWritten = false;
  const written = accounts.write(newAccount("t-7")).then(() => isWritten = true);
  await turns(1);
  assertEquals(isWritten, false);
  kept.resolve();
  await written;
  nats.publish = () => Promise.reject(new Error("no room"));
  await assertRejects(() => accounts.write(newAccount("t-7")), Error, "no room");
});

const { signal } = new AbortController();
const read = (message: NatsMessage) => message;
const onLate = () => assert(false, "nothing is late");
const pull = { subject: "next", max: 2, waitMs: 10_000, signal, read, onLate };
const status = (code: number, description = "") => fakeMessage("", { code, description });

/** A connection that answers its pulls in turn. */
function answering(...answers: ((pull: FakePull) => void)[]): FakeNats {
  const nats = new FakeNats();
  nats.onPull = (pull) => answers.shift()!(pull);
  return nats;
}

async function textsOf(pulling: Promise<NatsMessage[]>): Promise<string[]> {
  return (await pulling).map(({ data }) => new TextDecoder().decode(data));
}

test("a pull asks for what there is, with an expiry, at an inbox of its own", async () => {
  const pulls: FakePull[] = [];
  const end = (pull: FakePull) => {
    pulls.push(pull);
    pull.give(status(404));
  };
  const nats = answering(end, end);
  assertEquals(await natsPull(nats, { ...pull, waitMs: 7 }), []);
  nats.options.inboxPrefix = "mine";
  assertEquals(await natsPull(nats, { ...pull, waitMs: 0 }), []);
  assertEquals(pulls.map(({ subject }) => subject), ["next", "next"]);
  assertEquals(pulls.map(({ request }) => request), [
    { batch: 2, no_wait: true, expires: 7_000_000 },
    { batch: 2, no_wait: true, expires: 1_000_000 },
  ]);
  assertMatch(pulls[0]!.inbox, /^_INBOX\.[\w-]{36}$/);
  assertMatch(pulls[1]!.inbox, /^mine\.[\w-]{36}$/);
});

test("a pull asks for no more bytes than it may, but for one message alone that is larger", async () => {
  const requests: FakePull["request"][] = [];
  const note = ({ request }: FakePull) => void requests.push(request);
  const nats = answering(
    (pull) => (note(pull), pull.give(status(409, "Message Size Exceeds MaxBytes"))),
    (pull) => (note(pull), pull.give(fakeMessage("large"))),
    (
      pull,
    ) => (note(pull), pull.give(fakeMessage("a"), status(409, "Message Size Exceeds MaxBytes"))),
  );
  const limited = { ...pull, waitMs: 0, maxBytes: 3 };
  assertEquals(await textsOf(natsPull(nats, limited)), ["large"]);
  assertEquals(await textsOf(natsPull(nats, limited)), ["a"]);
  const all = { batch: 2, no_wait: true, expires: 1_000_000, max_bytes: 3 };
  assertEquals(requests, [all, { batch: 1, no_wait: true, expires: 1_000_000 }, all]);
});

test("a pull ends with the last message it asked for, or with what there was", async () => {
  const full = answering(({ give }) => give(fakeMessage("a"), fakeMessage("b"), fakeMessage("c")));
  assertEquals((await textsOf(natsPull(full, pull))).slice(0, 2), ["a", "b"]);
  for (const code of [404, 408, 409, 200]) {
    const some = answering(({ give }) => give(fakeMessage("a"), status(code)));
    assertEquals(await textsOf(natsPull(some, pull)), ["a"], `${code}`);
    assertEquals(some.drains, 0, "it did not end by its time");
  }
});

test("a heartbeat is no end of a pull, and a message with a header is a message, empty or not", async () => {
  const nats = answering(({ give }) =>
    give(status(100), status(199), fakeMessage("a", { code: 0 }), fakeMessage("", { code: 0 }))
  );
  assertEquals(await textsOf(natsPull(nats, pull)), ["a", ""]);
  const coded = answering(({ give }) => give(fakeMessage("a", { code: 503 }), status(404)));
  assertEquals(await textsOf(natsPull(coded, pull)), ["a"]);
});

test("a pull whose server is out of requests asks again until its time is over", async () => {
  const again = (pull: FakePull) => pull.give(status(408, "Request Timeout"));
  const nats = answering(again, again, ({ give }) => give(fakeMessage("a"), status(404)));
  await withQuickTimers(async () => {
    assertEquals(await textsOf(natsPull(nats, pull)), ["a"]);
  });
  assertEquals([nats.sent.length, nats.subscriptions], [3, 0]);
  const late = answering(again, again);
  assertEquals(await natsPull(late, { ...pull, waitMs: 0 }), []);
  assertEquals(late.sent.length, 1);
});

test("a pull that is refused, or whose connection fails, fails with what is said", async () => {
  const refused = answering(({ give }) => give(status(409, "Consumer Deleted")));
  const said = "The broker answers 409 Consumer Deleted";
  await assertRejects(() => natsPull(refused, pull), Error, said);
  const broken = answering(({ fail }) => fail(new Error("permissions")));
  await assertRejects(() => natsPull(broken, pull), Error, "permissions");
  assertEquals([refused.subscriptions, broken.subscriptions], [0, 0]);
});

test("a pull that is not answered fails half a second after its time", async () => {
  const nats = answering(() => {});
  const delays = await withQuickTimers(async () => {
    const error = await assertRejects(() => natsPull(nats, { ...pull, waitMs: 3_000 }), Error);
    assertEquals(error.message, "The broker does not answer");
  });
  assertEquals(delays.filter((ms) => ms > 1_000), [2_500]);
  assertEquals([nats.drains, nats.subscriptions], [1, 0]);
});

test("a pull that is given up takes what is on its way, and leaves nothing behind", () =>
  withTimerCount(async (pending) => {
    for (const isBefore of [true, false]) {
      const { controller, signal, listeners } = countedSignal();
      let answer: FakePull | undefined;
      const nats = answering((pull) => answer = pull);
      nats.onDrain = () => {
        answer!.give(fakeMessage("late"));
        return Promise.reject(new Error("closed"));
      };
      if (isBefore) controller.abort();
      const pulling = natsPull(nats, { ...pull, signal });
      assertEquals(nats.subscriptions, 1);
      controller.abort();
      assertEquals(await textsOf(pulling), ["late"]);
      assertEquals([nats.drains, nats.subscriptions, listeners()], [1, 0, 0]);
    }
    // One that hangs is not waited for; what comes of it later is handed on by itself.
    const controller = new AbortController();
    let pulled: FakePull | undefined;
    const nats = answering((pull) => {
      pulled = pull;
      controller.abort();
    });
    const draining = createDeferred<void>();
    nats.onDrain = () => draining.promise;
    const late: NatsMessage[] = [];
    const onLate = (message: NatsMessage) => void late.push(message);
    assertEquals(await natsPull(nats, { ...pull, signal: controller.signal, onLate }), []);
    assertEquals(nats.subscriptions, 1);
    pulled!.give(fakeMessage("a"), status(404), fakeMessage("b"));
    assertEquals(await textsOf(Promise.resolve(late)), ["a", "b"]);
    draining.resolve();
    await new Promise((resolve) => setTimeout(resolve));
    assertEquals(nats.subscriptions, 0);
    const done = answering(({ give }) => give(status(404)));
    const before = pending();
    const { signal, listeners } = countedSignal();
    await natsPull(done, { ...pull, signal });
    assertEquals([pending(), listeners()], [before, 0]);
  }));
