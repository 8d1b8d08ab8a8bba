import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { BSON, type Document, MongoClient } from "mongodb";
import { JsonText } from "../../../../scenarios/extract/value.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import { seedContacts } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import { seedSource } from "../../../../scenarios/extract/seed/command.ts";
import { documentValue } from "../../../../scenarios/extract/sources/document_value.ts";
import { until } from "../../../lib/until.ts";
import {
  csvLines,
  extractText,
  failureOf,
  fieldsOf,
  fromTable,
  march,
  mongodbTest,
  open,
  openConversations,
  resultOf,
  selectionOf,
  textOf,
} from "../_helpers.ts";
import { withProxy } from "./_proxy.ts";

const { Binary, BSONRegExp, Double, Int32, Long, ObjectId, Timestamp, UUID } = BSON;

// The seventh contact is the one with 5,000 messages.
const contacts = [...seedContacts({ contacts: 60, days: 30, seed: 2 })].filter(({ id }) =>
  id !== 7
);

type Documents = ReturnType<ReturnType<MongoClient["db"]>["collection"]>;

/** Gives a collection to `use`. */
async function withCollection(
  address: string,
  name: string,
  use: (collection: Documents) => Promise<unknown>,
): Promise<void> {
  const client = new MongoClient(address, { ignoreUndefined: true });
  try {
    await use(client.db().collection(name));
  } finally {
    await client.close();
  }
}

const insert = (address: string, name: string, documents: readonly Document[]) =>
  withCollection(address, name, (collection) => collection.insertMany([...documents]));

mongodbTest(
  "an abort leaves neither cursor nor connection open, on either side",
  async (address) => {
    await seedSource(address, contacts);
    await withProxy(address, async (proxy) => {
      const source = await openConversations(proxy.address);
      const controller = new AbortController();
      let openAtFirst = 0;
      const { message } = await failureOf(source, {
        partitions: 3,
        batchSize: 1,
        // One batch ahead and no more: none of them can come to its end before the first rows are there.
        highWaterMark: 2 ** -18,
        signal: controller.signal,
        onProgress() {
          if (controller.signal.aborted) return;
          openAtFirst = source.openCursors;
          controller.abort(new Error("enough"));
        },
      });
      assertEquals([message, openAtFirst], ["enough", 3]);
      await source.close();
      assertEquals(source.openCursors, 0);
      await until(() => proxy.open === 0);
      // What was not read to its end yet was told to the server as given up.
      assert(proxy.sent.includes("\u0002killCursors\u0000"));
    });
  },
);

mongodbTest(
  "what has no place in time is refused by name, or skipped and counted once",
  async (address) => {
    await seedSource(address, contacts);
    await using clean = await openConversations(address);
    const expected = await extractText(clean);
    const rows =
      contacts.flatMap(({ conversations }) => conversations.flatMap(({ messages }) => messages))
        .length;
    await withCollection(address, "conversations", async (collection) => {
      const startedAt = new Date("2026-01-10T00:00:00Z");
      const endedAt = new Date("2026-01-20T00:00:00Z");
      const contact = { id: 1, name: "A", channel: "web" };
      const message = { id: 9_000_001, sentAt: startedAt, sender: "bot", text: "a" };
      const shared = { startedAt, endedAt, contact };
      const later = new Date("2026-01-21T00:00:00Z");
      const wrong = [
        { ...shared, messages: "none" },
        { ...shared, messages: [{ ...message, sentAt: "2026-01-15" }] },
        { ...shared, messages: [{ ...message, sentAt: later }, { ...message, sentAt: null }] },
        // Without a place of their own.
        { contact, endedAt, messages: [message] },
        { contact, startedAt: null, endedAt, messages: [message, message] },
        { contact, startedAt: "2026-01-10", endedAt, messages: [message] },
        { contact, startedAt, endedAt: 5, messages: [{ ...message, sentAt: undefined }] },
        // Outside the period, with a message in it.
        {
          contact,
          ...{ startedAt: new Date("2025-01-01"), endedAt: new Date("2025-01-02") },
          messages: [message, { ...message, sentAt: new Date("2025-01-01") }],
        },
        {
          contact,
          ...{ startedAt: new Date("2027-01-01"), endedAt: new Date("2027-01-02") },
          messages: [message],
        },
        // It ends before it begins.
        { contact, startedAt: endedAt, endedAt: startedAt, messages: [message] },
        // Not of the period at all: nothing to be missed.
        {
          contact,
          startedAt: "2025-01-01",
          endedAt,
          messages: [{ ...message, sentAt: new Date(0) }],
        },
        { contact, startedAt: null, endedAt, messages: [] },
      ];
      await collection.insertMany(
        wrong.map((one, index) => ({ ...one, _id: 900_000 + index })) as never[],
      );
    });
    await using source = await openConversations(address);
    for (const partitions of [1, 8]) {
      const { read, rows: written, skipped, text } = await resultOf(source, {
        ...{ partitions, onBadRow: "skip" },
      });
      const counts = Object.fromEntries(skipped.map(({ reason, count }) => [reason, count]));
      assertEquals(counts, {
        "its conversation's startedAt is missing, so that it has no place in time": 1,
        "its conversation's startedAt is null, so that it has no place in time": 2,
        "its conversation's startedAt is text, not a date": 1,
        "its conversation's endedAt is a number, not a date": 1,
        "sentAt is not between startedAt and endedAt": 4,
        "messages is no array": 1,
        "sentAt is text, not a date": 1,
        "sentAt is null, so that it has no place in time": 1,
      });
      assertEquals([written, read], [rows, rows + 12]);
      assertEquals(text, expected);
    }
    const { message } = await failureOf(source);
    assertMatch(
      message,
      /^Cannot read a row of mongodb:\S+: message 9000001 of conversation 90000\d: its conversation's .+; 0 rows were written$/,
    );
  },
);

mongodbTest(
  "a missing index is a warning with its remedy, and no more than that",
  async (address) => {
    await seedSource(address, contacts);
    const before = await openConversations(address);
    const expected = await extractText(before);
    assertEquals(await before.warnings(), []);
    await before.close();
    await withCollection(address, "conversations", (collection) => collection.dropIndexes());
    await using source = await openConversations(address);
    const warnings = await source.warnings();
    assertEquals(warnings.map((warning) => warning.replace(/^.*: /, "")), [
      'db.conversations.createIndex({"startedAt":1,"_id":1,"endedAt":1})',
      'db.conversations.createIndex({"messages.sentAt":1})',
    ]);
    assertEquals(await extractText(source), expected);
  },
);

const fromCollection = (name: string, filter?: string) =>
  ({ kind: "collection", name, filter }) as const;

const ndjson = { format: { format: "ndjson" } } as const;
const id = new ObjectId("0123456789abcdef01234567");

const uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";

/** What a value of each type that FerretDB stores is in NDJSON, and in CSV. Default: the text that it is in NDJSON. */
const values: readonly (readonly [value: unknown, json: string, csv?: string])[] = [
  [Long.fromString("9007199254740993"), "9007199254740993"],
  [Long.fromString("-9223372036854775808"), "-9223372036854775808"],
  [new Int32(-2_147_483_648), "-2147483648"],
  [new Double(5), "5"],
  [new Double(1.5), "1.5"],
  [0.1, "0.1"],
  [null, "null", ""],
  ["", '""', '""'],
  ["a\0b", '"a\\u0000b"'],
  ["ü\n\0", '"ü\\n\\u0000"', '"ü\n\0"'],
  [id, `"${id}"`],
  [new Date("2026-01-31T08:30:00.120Z"), '"2026-01-31T08:30:00.120Z"'],
  // Before 1970, and the last there is.
  [new Date(-1), '"1969-12-31T23:59:59.999Z"'],
  [new Date(8.64e15), '"+275760-09-13T00:00:00.000Z"'],
  [true, "true"],
  [false, "false"],
  [
    { a: [1, { b: id }], c: null },
    `{"a":[1,{"b":"${id}"}],"c":null}`,
    `"{""a"":[1,{""b"":""${id}""}],""c"":null}"`,
  ],
  [{ a: {}, b: { c: new Int32(1) } }, '{"a":{},"b":{"c":1}}', '"{""a"":{},""b"":{""c"":1}}"'],
  [[1, "a", null, { b: id }], `[1,"a",null,{"b":"${id}"}]`, `"[1,""a"",null,{""b"":""${id}""}]"`],
  [[], "[]"],
  [new Binary(new Uint8Array([0, 255])), '"AP8="'],
  // Of older kinds, of one's own, encrypted, MD5 and UUIDs, of which one has a text that others know.
  ...[2, 128, 6].map((kind) => [new Binary(new Uint8Array([1]), kind), '"AQ=="'] as const),
  ...[3, 5].map((kind) => [new Binary(new Uint8Array(16), kind), `"${"A".repeat(22)}=="`] as const),
  [new UUID(uuid), `"${uuid}"`],
  [
    new BSONRegExp("a/b", "i"),
    '{"$regularExpression":{"pattern":"a/b","options":"i"}}',
    '"{""$regularExpression"":{""pattern"":""a/b"",""options"":""i""}}"',
  ],
  [
    new Timestamp({ t: 1, i: 2 }),
    '{"$timestamp":{"t":1,"i":2}}',
    '"{""$timestamp"":{""t"":1,""i"":2}}"',
  ],
];

mongodbTest("values of every type that the server stores come out exactly", async (address) => {
  await insert(address, "t", values.map(([v], _id) => ({ _id, v }) as Document));
  const selection = { fields: fieldsOf("v", "_id") };
  const textOfJson = (json: string) => json.startsWith('"') ? JSON.parse(json) : json;
  assertEquals(
    await textOf(address, fromCollection("t"), { selection }),
    [
      "v,_id",
      ...values.map(([, json, csv = textOfJson(json)], index) => `${csv},${index}`),
    ].map((line) => `${line}\r\n`).join(""),
  );
  assertEquals(
    (await textOf(address, fromCollection("t"), { ...ndjson, selection })).trimEnd().split("\n"),
    values.map(([, json], index) => `{"v":${json},"_id":${index}}`),
  );
  assertEquals(
    (await textOf(address, fromCollection("t"), ndjson)).split("\n")[0],
    '{"_id":0,"v":9007199254740993}',
  );
});

mongodbTest(
  "paths lead through documents and arrays; what is missing is missing",
  async (address) => {
    await insert(address, "t", [
      { _id: 1, a: { b: { c: 1 } }, list: [{ n: "x" }, { n: "y" }, {}], "1": "one" },
      { _id: 2, a: "none" },
      { _id: 3, a: { b: null }, list: [] },
    ] as Document[]);
    const selection = {
      fields: [
        { path: "a.b.c", title: "deep" },
        ...fieldsOf("list.n", "list.1.n", "a.b", "1"),
      ],
    };
    assertEquals(csvLines(await textOf(address, fromCollection("t"), { selection })), [
      "deep,list.n,list.1.n,a.b,1",
      '1,"[""x"",""y"",null]",y,"{""c"":1}",one',
      ",,,,",
      ",[],,,",
    ]);
    assertEquals(
      (await textOf(address, fromCollection("t"), { ...ndjson, selection })).split("\n")[1],
      "{}",
    );
  },
);

mongodbTest(
  "a filter and an order are the server's; a collection that is not there is refused",
  async (address) => {
    await insert(
      address,
      "a b'c",
      [3, 1, 2].map((n) => ({ n, _id: `${n}` }) as unknown as Document),
    );
    const selection = { fields: fieldsOf("n"), orderBy: [{ path: "n", isDescending: true }] };
    const filter = '{"n": {"$gte": 2}}';
    assertEquals(csvLines(await textOf(address, fromCollection("a b'c", filter), { selection })), [
      "n",
      "3",
      "2",
    ]);
    const falling = { fields: fieldsOf("n"), orderBy: [{ path: "_id", isDescending: true }] };
    assertEquals(csvLines(await textOf(address, fromCollection("a b'c"), { selection: falling })), [
      "n",
      "3",
      "2",
      "1",
    ]);
    await assertRejects(
      () => textOf(address, fromCollection("z")),
      Error,
      `there is no collection "z", but a b'c`,
    );
    await assertRejects(
      () => openSource(address, selectionOf(fromTable("a"))),
      Error,
      "MongoDB has collections, not tables",
    );
  },
);

mongodbTest(
  "a period takes dates alone; what else the field holds is counted by its reason",
  async (address) => {
    const at = (ms: number) => new Date(ms);
    const times = [
      ...[
        at(march.fromMs),
        at(march.fromMs - 1),
        at(march.toMs - 1),
        at(march.toMs),
        at(march.fromMs + 5),
      ],
      ...[null, "2026-03-05", march.fromMs, [at(march.fromMs)], { a: 1 }, undefined],
    ];
    await insert(
      address,
      "t",
      times.map((time, _id) => (time === undefined ? { _id } : { _id, time }) as Document),
    );
    const selection = { fields: fieldsOf("_id"), time: { field: "time", period: march } };
    await using source = await open(address, selectionOf(fromCollection("t"), selection));
    assertEquals(await source.warnings(), [
      "no index on time, so all documents are read and sorted for each part: " +
      'db.getCollection("t").createIndex({"time":1})',
    ]);
    for (const partitions of [1, 3]) {
      const { read, rows, skipped, text } = await resultOf(source, {
        ...{ partitions, onBadRow: "skip" },
      });
      assertEquals(csvLines(text), ["_id", "0", "4", "2"]);
      assertEquals([read, rows], [9, 3]);
      assertEquals(skipped.map(({ reason }) => reason).sort(), [
        "time is a number, not a date",
        "time is an array, not a date",
        "time is an object, not a date",
        "time is missing, so that it has no place in time",
        "time is null, so that it has no place in time",
        "time is text, not a date",
      ]);
    }
    await assertRejects(() => extractText(source), Error, "row _id=5: time is null");
  },
);

mongodbTest("a value larger than it may be is named, or skipped and counted", async (address) => {
  await insert(address, "t", [
    { _id: 1, v: "a" },
    { _id: 2, v: "x".repeat(1_001) },
    { _id: 3, v: "ü".repeat(501) },
    { _id: 4, v: { w: "x".repeat(1_001) } },
    { _id: 5, v: new UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11") },
  ] as Document[]);
  const selection = { fields: fieldsOf("_id", "v"), maxValueBytes: 1_000 };
  await assertRejects(
    () => textOf(address, fromCollection("t"), { selection }),
    Error,
    "row _id=2: v is larger than --max-value; 0 rows were written",
  );
  const text = await textOf(address, fromCollection("t"), { selection, onBadRow: "skip" });
  assertEquals(csvLines(text), ["_id,v", "1,a", "5,a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]);
  assert(!text.includes("x"));
});

mongodbTest("fields keep their order where their names are numbers", async (address) => {
  const inner = new Map<string, unknown>([["z", [new Map([["b", 1], ["10", 2], ["2", 3]])]], ["1", {
    "0": 1,
  }]]);
  const document = new Map<string, unknown>([["_id", 1], ["10", "a"], ["x", inner], ["2", null]]);
  await insert(address, "c", [document as unknown as Document]);
  const x = '{"z":[{"b":1,"10":2,"2":3}],"1":{"0":1}}';
  assertEquals(
    await textOf(address, fromCollection("c"), ndjson),
    `{"_id":1,"10":"a","x":${x},"2":null}\n`,
  );
  const selection = { fields: fieldsOf("x", "2", "10", "x.z.b") };
  assertEquals(
    await textOf(address, fromCollection("c"), { ...ndjson, selection }),
    `{"x":${x},"2":null,"10":"a","x.z.b":[1]}\n`,
  );
});

test("what MongoDB alone knows becomes text or JSON, with every digit", () => {
  const cases: [unknown, unknown][] = [
    [BSON.Decimal128.fromString("1.50"), "1.50"],
    [
      BSON.Decimal128.fromString("1234567890123456789012345678901234"),
      "1234567890123456789012345678901234",
    ],
    [new BSON.ObjectId("0123456789abcdef01234567"), "0123456789abcdef01234567"],
    [BSON.Long.fromString("-9223372036854775808"), "-9223372036854775808"],
    [new BSON.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
    [
      { a: 12345678901234567890n, b: NaN, c: undefined },
      new JsonText('{"a":12345678901234567890,"b":"NaN"}'),
    ],
    [new BSON.MinKey(), new JsonText('{"$minKey":1}')],
    [new BSON.Timestamp({ t: 1, i: 2 }), new JsonText('{"$timestamp":{"t":1,"i":2}}')],
    [/a\/b/i, new JsonText('{"$regularExpression":{"pattern":"a\\\\/b","options":"i"}}')],
    [[new Uint8Array([1])], new JsonText('["AQ=="]')],
    // `-0` is an integer to some who read it.
    [{ a: -0 }, new JsonText('{"a":-0.0}')],
    [new BSON.Double(-0), -0],
    [new BSON.Double(NaN), NaN],
    [[Infinity], new JsonText('["Infinity"]')],
    [new BSON.Int32(5), 5],
    [undefined, undefined],
    [null, null],
    [new BSON.MaxKey(), new JsonText('{"$maxKey":1}')],
    [new BSON.Code("f()"), new JsonText('{"$code":"f()"}')],
    [new BSON.Code("f()", { a: 1 }), new JsonText('{"$code":"f()","$scope":{"a":1}}')],
    [new BSON.BSONSymbol("s"), "s"],
    [new BSON.DBRef("c", 1 as never), new JsonText('{"$ref":"c","$id":1}')],
    // Documents of people who thought of such names.
    [{ _bsontype: "ObjectId" }, new JsonText('{"_bsontype":"ObjectId"}')],
    [{ _bsontype: "Decimal128", a: 1 }, new JsonText('{"_bsontype":"Decimal128","a":1}')],
    [[{ _bsontype: "Long" }], new JsonText('[{"_bsontype":"Long"}]')],
  ];
  for (const [value, expected] of cases) assertEquals(documentValue(value), expected);
  assertThrows(() => documentValue(new Date(NaN)), RangeError, "is a date out of range");
});
