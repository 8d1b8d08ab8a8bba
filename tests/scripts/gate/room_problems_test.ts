import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { roomProblems } from "../../../scripts/gate/room_problems.ts";

const rooms = { kernels: [], engine: ["kernels"] };

function problems(files: Record<string, string>): string[] {
  return roomProblems(new Map(Object.entries(files)), rooms);
}

test("roomProblems accepts what the list allows, and files that are for all", () => {
  assertEquals(
    problems({
      "src/engine/a.ts": `import "./b.ts"; import "../kernels/map.ts"; import "../errors.ts";`,
      "src/kernels/deep/a.ts": `import "../map.ts"; import "../../errors.ts";`,
      "src/errors.ts": `import "./fifo.ts";`,
      "node_compat/a.ts": `import "../src/engine/a.ts";`,
    }),
    [],
  );
});

test("roomProblems names what a room may not import, and rooms that are not listed", () => {
  assertEquals(
    problems({
      "src/kernels/a.ts": `import "../engine/a.ts";`,
      "src/errors.ts": `import type { Kernel } from "./kernels/kernel.ts";`,
      "src/cellar/a.ts": "",
    }),
    [
      "src/kernels/a.ts imports src/engine/a.ts: kernels may import no other room",
      "src/errors.ts imports src/kernels/kernel.ts: src may import no other room",
      "src/cellar/a.ts is in the room cellar, which scripts/gate/room_problems.ts does not list",
    ],
  );
});
