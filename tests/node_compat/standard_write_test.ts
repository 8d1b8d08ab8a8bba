import process from "node:process";
import { Writable } from "node:stream";
import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { standardWrite } from "../../node_compat/standard_write.ts";

type Callback = (error?: Error | null) => void;

/** Does something while each write to a process's own output is answered as said. */
async function whileAnswering(answer: (callback: Callback) => void, act: () => Promise<void>) {
  const real = Object.getOwnPropertyDescriptor(process.stderr, "write");
  const write = (_chunk: unknown, callback: Callback) => {
    answer(callback);
    return true;
  };
  Object.defineProperty(process.stderr, "write", { configurable: true, value: write });
  try {
    await act();
  } finally {
    if (real === undefined) Reflect.deleteProperty(process.stderr, "write");
    else Object.defineProperty(process.stderr, "write", real);
  }
}

test("a write to a process's own output settles as that says, and leaves no listener", async () => {
  const before = process.stderr.listenerCount("error");
  const write = standardWrite(process.stderr)!;
  await whileAnswering((callback) => callback(), () => write("a"));
  await whileAnswering((callback) => callback(null), () => write("a"));
  assertEquals(process.stderr.listenerCount("error"), before);
  const broken = new Error("broken pipe");
  await whileAnswering((callback) => callback(broken), async () => {
    await assertRejects(() => write("a"), Error, "broken pipe");
  });
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => void setImmediate(resolve));
  assertEquals(process.stderr.listenerCount("error"), before);
});

test("any other stream is written to as ever", () => {
  assertEquals(standardWrite(new Writable()), undefined);
});
