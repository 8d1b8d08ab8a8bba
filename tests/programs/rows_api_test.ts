import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";
import type { Row, RowsApi } from "./_rows_api.ts";
import { answerRows } from "./rows_api.ts";
import { answerRows as answerRowsByHand } from "./rows_api_by_hand.ts";

const publish = ({ id, name }: Row) => ({ id, name });

/** A database that notes what is read of it and whether its cursor was closed. */
class Database {
  read = 0;
  closed = 0;
  readonly #count: number;
  readonly #failsAt: number;

  constructor(count: number, failsAt = Infinity) {
    this.#count = count;
    this.#failsAt = failsAt;
  }

  readonly query = async function* (this: Database, table: string): AsyncGenerator<Row> {
    try {
      for (let id = 0; id < this.#count; id++) {
        await undefined;
        if (id === this.#failsAt) throw new Error(`lost ${table}`);
        this.read++;
        yield { id, name: `${table} ü ${id}`, secret: "hidden" };
      }
      if (this.#failsAt === this.#count) throw new Error(`lost ${table}`);
    } finally {
      this.closed++;
    }
  }.bind(this);
}

const request = () => new Request("http://localhost/rows?of=people");

/** What came of a request. */
interface Asked {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly reason: string;
  readonly read: number;
  readonly closed: number;
}

const whole = Array.from(
  { length: 5000 },
  (_, id) => `${JSON.stringify({ id, name: `people ü ${id}` })}\n`,
).join("");

/** The status and the type, then the body or how it breaks, then what the database saw. */
async function ask(program: RowsApi, database: Database): Promise<Asked> {
  const response = await program(request(), { query: database.query, publish });
  const { status, headers } = response;
  let text = "";
  const decoder = new TextDecoder();
  const failure = await errorOf((async () => {
    for await (const bytes of response.body!) text += decoder.decode(bytes, { stream: true });
  })());
  const reason = failure === "none" ? failure : String(failure[0]);
  const { read, closed } = database;
  return { status, type: headers.get("content-type"), text, reason, read, closed };
}

const cases: Record<string, [status: number, ...database: ConstructorParameters<typeof Database>]> =
  {
    "no rows": [404, 0],
    "one row": [200, 1],
    "a few": [200, 25],
    "many": [200, 5000],
    "a failure before the first row": [503, 10, 0],
    "a failure after the last row": [200, 3, 3],
    "a failure on the way": [200, 10, 7],
    "a failure after many": [200, 5000, 4000],
  };

for (const [name, [status, ...given]] of Object.entries(cases)) {
  test(`rows as NDJSON, both programs: ${name}`, async () => {
    const { text, ...ours } = await ask(answerRows, new Database(...given));
    const { text: textByHand, ...byHand } = await ask(answerRowsByHand, new Database(...given));
    assertEquals(ours.status, status);
    assertEquals(byHand, ours);
    if (ours.reason === "none") assertEquals(textByHand, text);
    // Blocks may be cut elsewhere: what waits for the next is lost with a failure.
    else for (const part of [text, textByHand]) assert(whole.startsWith(part));
  });
}

test("rows as NDJSON, both programs: what is hidden stays hidden, and each row is a line", async () => {
  for (const program of [answerRows, answerRowsByHand]) {
    const { query } = new Database(2);
    const response = await program(request(), { query, publish });
    assertEquals(
      await response.text(),
      '{"id":0,"name":"people ü 0"}\n{"id":1,"name":"people ü 1"}\n',
    );
  }
});

test("rows as NDJSON, both programs: a reader that leaves closes the cursor", async () => {
  for (const program of [answerRows, answerRowsByHand]) {
    for (const reads of [0, 1]) {
      const database = new Database(100_000);
      const response = await program(request(), { query: database.query, publish });
      const reader = response.body!.getReader();
      for (let n = 0; n < reads; n++) await reader.read();
      await reader.cancel("left");
      await turns();
      assert(database.read < 10_000, `${database.read} rows`);
      assertEquals(database.closed, 1);
    }
  }
});

test("rows as NDJSON, both programs: a row that cannot be published breaks the body and closes the cursor", async () => {
  const fails = () => {
    throw new Error("not to be seen");
  };
  for (const program of [answerRows, answerRowsByHand]) {
    const database = new Database(10);
    const response = await program(request(), { query: database.query, publish: fails });
    assertEquals(String((await errorOf(response.text()))[0]).includes("not to be seen"), true);
    assertEquals(database.closed, 1);
  }
});
