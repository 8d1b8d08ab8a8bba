import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { makeDocuments } from "../../../bench/real_work/make_documents.ts";
import { prepareGzip } from "../../../bench/real_work/prepare_gzip.ts";
import { prepareJson } from "../../../bench/real_work/prepare_json.ts";
import { realWork } from "../../../bench/real_work/workload.ts";
import { entriesHere } from "../_entries_here.ts";
import { runCase } from "../_run_case.ts";

const documents = makeDocuments(30);
const bytes = documents.join("").length;

for (const work of ["json", "gzip"]) {
  for (const { name } of entriesHere(realWork.contestants, { work })) {
    test(`real_work, ${work}: ${name} does the whole work`, async () => {
      const outcome = await runCase(realWork, name, { work, documents: 30 });
      assertEquals([outcome.chunks, outcome.bytes], [30, bytes]);
    });
  }
}

test("documents are always the same, ASCII and about 4 KiB", () => {
  assertEquals(makeDocuments(30), documents);
  assertEquals(new Set(documents).size, 30);
  for (const text of documents) {
    assert(/^[ -~]+$/.test(text));
    assert(text.length > 3500 && text.length < 5000, `${text.length} bytes`);
  }
});

test("a sum that is not the documents' own is not accepted", async () => {
  const prepared = prepareJson("careless", {
    json: ({ texts, take }) => Promise.resolve([...texts()].slice(1).forEach(() => take(1))),
  }, documents);
  await prepared.run();
  await assertRejects(() => prepared.verify(), Error, "careless: 29 of 30 documents, 29 of ");
});

test("what cannot be uncompressed to what went in is not accepted", async () => {
  const prepared = prepareGzip("careless", {
    gzip: ({ take }) => Promise.resolve(take(gzipSync("something else"))),
  }, documents);
  await assertRejects(() => prepared.verify(), Error, "careless: nothing came out");
  await prepared.run();
  await assertRejects(() => prepared.verify(), Error, "careless: what comes out again is not");
});

test("the work is one of two", () => {
  assertThrows(
    () => realWork.params.work!.parse("sleep"),
    RangeError,
    'Cannot read work: must be one of json, gzip, got "sleep"',
  );
});
