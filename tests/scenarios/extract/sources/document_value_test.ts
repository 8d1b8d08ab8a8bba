import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { BSON } from "mongodb";
import { JsonText } from "../../../../scenarios/extract/json_text.ts";
import { documentValue } from "../../../../scenarios/extract/sources/document_value.ts";

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
