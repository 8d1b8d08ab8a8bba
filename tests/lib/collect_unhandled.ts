import process from "node:process";

/** Collects rejections without a handler while it is open. */
export function collectUnhandled(): { take: () => unknown[]; close: () => void } {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => void unhandled.push(reason);
  // A test runner's own listener would fail the test for what native streams leave behind.
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", listen);
  return {
    take: () => unhandled.splice(0),
    close() {
      process.off("unhandledRejection", listen);
      for (const other of others) process.on("unhandledRejection", other);
    },
  };
}
