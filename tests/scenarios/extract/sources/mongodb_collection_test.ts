import { assert, assertEquals, assertRejects } from "@std/assert";
import { BSON, type Document, MongoClient } from "mongodb";
import { extract } from "../../../../scenarios/extract/extract.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import type { Selection } from "../../../../scenarios/extract/selection.ts";
import {
  extractDefaults,
  extractText,
  memoryOutput,
  mongodbTest,
  selectionOf,
} from "../_helpers.ts";

const { Double, Long, ObjectId, Binary, UUID } = BSON;

async function insert(
  address: string,
  name: string,
  documents: readonly Document[],
): Promise<void> {
  const client = new MongoClient(address);
  try {
    await client.db().collection(name).insertMany([...documents]);
  } finally {
    await client.close();
  }
}

const fieldsOf = (...paths: string[]) => paths.map((path) => ({ path, title: path }));

async function textOf(
  address: string,
  name: string,
  options: Parameters<typeof extractText>[1] & {
    readonly selection?: Partial<Selection>;
    readonly filter?: string;
  } = {},
): Promise<string> {
  const { selection, filter, ...more } = options;
  const source = await openSource(
    address,
    selectionOf({ kind: "collection", name, filter }, selection),
  );
  try {
    return await extractText(source, more);
  } finally {
    await source.close();
    assertEquals(source.openCursors, 0);
  }
}

const lines = (text: string) => text.split("\r\n").slice(0, -1);
const ndjson = { format: { format: "ndjson" } } as const;
const id = new ObjectId("0123456789abcdef01234567");

/** What a value is in CSV and in NDJSON. */
const values: readonly (readonly [value: unknown, csv: string, json?: string])[] = [
  [Long.fromString("9007199254740993"), "9007199254740993"],
  [new Double(5), "5"],
  [0.1, "0.1"],
  [null, "", "null"],
  ["", '""', '""'],
  ["a\0b", "a\0b", '"a\\u0000b"'],
  [id, String(id), `"${id}"`],
  [new Date("2026-01-31T08:30:00.120Z"), "2026-01-31T08:30:00.120Z", '"2026-01-31T08:30:00.120Z"'],
  [true, "true"],
  [new Binary(new Uint8Array([0, 255])), "AP8=", '"AP8="'],
  [
    { a: [1, { b: id }], c: null },
    `"{""a"":[1,{""b"":""${id}""}],""c"":null}"`,
    `{"a":[1,{"b":"${id}"}],"c":null}`,
  ],
  [[], "[]"],
];

mongodbTest("values of every type come out exactly", async (address) => {
  await insert(address, "t", values.map(([v], _id) => ({ _id, v }) as Document));
  const selection = { fields: fieldsOf("v", "_id") };
  assertEquals(
    lines(await textOf(address, "t", { selection })),
    ["v,_id", ...values.map(([, csv], index) => `${csv},${index}`)],
  );
  assertEquals(
    (await textOf(address, "t", { ...ndjson, selection })).trimEnd().split("\n"),
    values.map(([, csv, json = csv], index) => `{"v":${json},"_id":${index}}`),
  );
  assertEquals(
    (await textOf(address, "t", ndjson)).split("\n")[0],
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
    assertEquals(lines(await textOf(address, "t", { selection })), [
      "deep,list.n,list.1.n,a.b,1",
      '1,"[""x"",""y"",null]",y,"{""c"":1}",one',
      ",,,,",
      ",[],,,",
    ]);
    assertEquals(
      (await textOf(address, "t", { ...ndjson, selection })).split("\n")[1],
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
    assertEquals(lines(await textOf(address, "a b'c", { selection, filter })), ["n", "3", "2"]);
    const falling = { fields: fieldsOf("n"), orderBy: [{ path: "_id", isDescending: true }] };
    assertEquals(lines(await textOf(address, "a b'c", { selection: falling })), [
      "n",
      "3",
      "2",
      "1",
    ]);
    await assertRejects(() => textOf(address, "z"), Error, `there is no collection "z", but a b'c`);
    await assertRejects(
      () => openSource(address, selectionOf({ kind: "table", name: "a" })),
      Error,
      "MongoDB has collections, not tables",
    );
  },
);

const march = { fromMs: Date.UTC(2026, 2, 1), toMs: Date.UTC(2026, 3, 1) };

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
    const source = await openSource(
      address,
      selectionOf({ kind: "collection", name: "t" }, selection),
    );
    assertEquals(await source.warnings(), [
      "no index on time, so all documents are read and sorted for each part: " +
      'db.getCollection("t").createIndex({"time":1})',
    ]);
    for (const partitions of [1, 3]) {
      const output = memoryOutput();
      const { read, rows, skipped } = await extract({
        ...extractDefaults,
        ...{ source, output, partitions, onBadRow: "skip" },
      });
      assertEquals(lines(output.text()), ["_id", "0", "4", "2"]);
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
    await source.close();
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
    () => textOf(address, "t", { selection }),
    Error,
    "row _id=2: v is larger than --max-value; 0 rows were written",
  );
  const text = await textOf(address, "t", { selection, onBadRow: "skip" });
  assertEquals(lines(text), ["_id,v", "1,a", "5,a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]);
  assert(!text.includes("x"));
});

mongodbTest("fields keep their order where their names are numbers", async (address) => {
  const inner = new Map<string, unknown>([["z", [new Map([["b", 1], ["10", 2], ["2", 3]])]], ["1", {
    "0": 1,
  }]]);
  const document = new Map<string, unknown>([["_id", 1], ["10", "a"], ["x", inner], ["2", null]]);
  await insert(address, "c", [document as unknown as Document]);
  const x = '{"z":[{"b":1,"10":2,"2":3}],"1":{"0":1}}';
  assertEquals(await textOf(address, "c", ndjson), `{"_id":1,"10":"a","x":${x},"2":null}\n`);
  const selection = { fields: fieldsOf("x", "2", "10", "x.z.b") };
  assertEquals(
    await textOf(address, "c", { ...ndjson, selection }),
    `{"x":${x},"2":null,"10":"a","x.z.b":[1]}\n`,
  );
});
