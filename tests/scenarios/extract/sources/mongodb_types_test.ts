import { assertEquals } from "@std/assert";
import { BSON, type Document, MongoClient } from "mongodb";
import { extract } from "../../../../scenarios/extract/extract.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import {
  extractDefaults,
  extractText,
  memoryOutput,
  mongodbTest,
  selectionOf,
} from "../_helpers.ts";

const { Binary, BSONRegExp, Double, Int32, Long, ObjectId, Timestamp, UUID } = BSON;

const id = new ObjectId("0123456789abcdef01234567");
const uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";

/** A value of each type that FerretDB stores, and what NDJSON has of it. */
const stored: readonly (readonly [type: string, value: unknown, json: string])[] = [
  ["double", new Double(1.5), "1.5"],
  ["double, whole", new Double(5), "5"],
  ["string", "ü\n\0", '"ü\\n\\u0000"'],
  ["object", { a: {}, b: { c: new Int32(1) } }, '{"a":{},"b":{"c":1}}'],
  ["array", [1, "a", null, { b: id }], `[1,"a",null,{"b":"${id}"}]`],
  ["binary", new Binary(new Uint8Array([0, 255])), '"AP8="'],
  ["binary, old", new Binary(new Uint8Array([1]), 2), '"AQ=="'],
  ["UUID, old", new Binary(new Uint8Array(16), 3), '"AAAAAAAAAAAAAAAAAAAAAA=="'],
  ["UUID", new UUID(uuid), `"${uuid}"`],
  ["MD5", new Binary(new Uint8Array(16), 5), '"AAAAAAAAAAAAAAAAAAAAAA=="'],
  ["encrypted", new Binary(new Uint8Array([6]), 6), '"Bg=="'],
  ["binary, one's own", new Binary(new Uint8Array([1]), 128), '"AQ=="'],
  ["ObjectId", id, `"${id}"`],
  ["boolean", false, "false"],
  ["date", new Date("2026-01-31T08:30:00.120Z"), '"2026-01-31T08:30:00.120Z"'],
  ["date before 1970", new Date(-1), '"1969-12-31T23:59:59.999Z"'],
  ["last date", new Date(8.64e15), '"+275760-09-13T00:00:00.000Z"'],
  ["null", null, "null"],
  [
    "regular expression",
    new BSONRegExp("a/b", "i"),
    '{"$regularExpression":{"pattern":"a/b","options":"i"}}',
  ],
  ["int32", new Int32(-2_147_483_648), "-2147483648"],
  ["timestamp", new Timestamp({ t: 1, i: 2 }), '{"$timestamp":{"t":1,"i":2}}'],
  ["int64", Long.fromString("-9223372036854775808"), "-9223372036854775808"],
];

async function inCollection(
  address: string,
  use: (collection: ReturnType<ReturnType<MongoClient["db"]>["collection"]>) => Promise<unknown>,
): Promise<void> {
  const client = new MongoClient(address, { ignoreUndefined: true });
  try {
    await use(client.db().collection("t"));
  } finally {
    await client.close();
  }
}

mongodbTest("each type that the server stores comes out whole", async (address) => {
  const documents = stored.map(([type, v], _id) => ({ _id, type, v }) as unknown as Document);
  await inCollection(address, (collection) => collection.insertMany(documents));
  const source = await openSource(address, selectionOf({ kind: "collection", name: "t" }));
  const text = await extractText(source, { format: { format: "ndjson" } });
  await source.close();
  assertEquals(
    text.trimEnd().split("\n"),
    stored.map(([type, , json], _id) =>
      `{"_id":${_id},"type":${JSON.stringify(type)},"v":${json}}`
    ),
  );
});

mongodbTest(
  "documents that stay are exported once each while others come, change and go",
  async (address) => {
    const note = "n".repeat(300);
    const stays = Array.from({ length: 1_000 }, (_, index) => 3 * index);
    const goes = stays.map((_id) => _id + 1);
    await inCollection(address, async (collection) => {
      const documents = [...stays, ...goes].map((_id) => ({ _id, note }) as unknown as Document);
      await collection.insertMany(documents);
      let rounds = 0;
      const output = memoryOutput(async () => {
        if (rounds === 5) return;
        const some = goes.slice(-20 * (rounds + 1));
        const more = stays.slice(20 * rounds, 20 * (rounds + 1)).map((_id) => _id + 2);
        rounds++;
        await collection.deleteMany({ _id: { $in: some } } as Document);
        await collection.insertMany(more.map((_id) => ({ _id, note }) as unknown as Document));
        await collection.updateMany(
          { _id: { $in: stays.slice(-20 * rounds) } } as Document,
          { $set: { note: note.toUpperCase() } },
        );
      });
      const source = await openSource(
        address,
        selectionOf({ kind: "collection", name: "t" }, {
          fields: [{ path: "_id", title: "_id" }, { path: "note", title: "note" }],
        }),
      );
      const { read, rows } = await extract({ ...extractDefaults, source, output, batchSize: 50 });
      await source.close();
      assertEquals(rounds, 5);
      const seen = output.text().split("\r\n").slice(1, -1).map((line) => Number.parseInt(line));
      assertEquals([read, rows, new Set(seen).size], [seen.length, seen.length, seen.length]);
      assertEquals(seen.filter((_id) => _id % 3 === 0), stays);
    });
  },
);
