import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { signatureFiles } from "../../../scripts/gate/signature_files.ts";

test("each interface has one signature for each number of arguments, up to twenty stages", () => {
  const counts = [...signatureFiles()].map(([path, text]) => {
    const inLists = [...text.matchAll(/\[(T0(?:, T\d+)*)\]/g)];
    // Where the most come first, the parameters are written out.
    const written = [...text.matchAll(/^ {2}<(T0(?:, T\d+)*)/gm)].toReversed();
    const chunks = inLists.length > 0 ? inLists : written;
    const lengths = chunks.map(([, names]) => names!.split(", ").length);
    assertEquals(lengths, lengths.toSorted((one, other) => one - other), path);
    assertEquals(new Set(lengths).size, lengths.length, path);
    return [path, lengths[0], lengths.at(-1)];
  });
  assertEquals(counts, [
    ["src/pipeline/pipeline_signatures.ts", 1, 22],
    ["src/ends/gather_signatures.ts", 1, 22],
    ["src/ends/test_signatures.ts", 1, 21],
    ["src/ends/reduce_signatures.ts", 1, 21],
    ["src/fuse/fuse_signatures.ts", 2, 22],
    ["src/queue/per_message_signatures.ts", 2, 21],
    ["src/fuse/compose_signatures.ts", 3, 21],
  ]);
});

test("each signature has documentation of its own, which signature help shows", () => {
  for (const [path, text] of signatureFiles()) {
    const lines = text.split("\n");
    const signatures = lines.filter((line) => /^ {2}<.*\(/.test(line));
    assert(signatures.length > 20, path);
    for (const signature of signatures) {
      assert(lines[lines.indexOf(signature) - 1]!.startsWith("  /** "), `${path}: ${signature}`);
    }
  }
});
