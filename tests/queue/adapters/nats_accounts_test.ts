import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import {
  NatsAccounts,
  NatsApiError,
  type NatsLetter,
  newAccount,
} from "../../../src/queue/adapters/nats_accounts.ts";
import { turns } from "../../lib/turns.ts";
import { FakeNats } from "./_fake_nats.ts";

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
