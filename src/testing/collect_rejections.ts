// deno-lint-ignore-file no-explicit-any -- what the realm has of an event target and of Node's process

/** Collects rejections without a handler while it is open, so that the test's runner does not see them. */
export function collectRejections(): { take: () => unknown[]; close: () => void } {
  const unhandled: unknown[] = [];
  const { process } = globalThis as any;
  if (typeof process?.listeners === "function") {
    const listen = (reason: unknown) => void unhandled.push(reason);
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
  const listen = (event: any) => {
    event.preventDefault();
    unhandled.push(event.reason);
  };
  (globalThis as any).addEventListener?.("unhandledrejection", listen);
  return {
    take: () => unhandled.splice(0),
    close: () => (globalThis as any).removeEventListener?.("unhandledrejection", listen),
  };
}
