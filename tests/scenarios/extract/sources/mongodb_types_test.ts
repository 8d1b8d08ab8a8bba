import { assertEquals } from "@std/assert";
import { BSON, type Document, MongoClient } from "mongodb";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import { extractText, mongodbTest, selectionOf } from "../_helpers.ts";

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
