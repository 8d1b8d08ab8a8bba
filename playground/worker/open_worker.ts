/// <reference lib="dom" />
import { workerSource } from "../built.ts";

/** Starts a worker with the library in it; what stands in `before` comes first, from its first line on. */
export function openWorker(before = ""): Worker {
  const library = document.getElementById("library")!.textContent!;
  const blob = new Blob([before, "\n", library, "\n", workerSource], { type: "text/javascript" });
  const address = URL.createObjectURL(blob);
  const worker = new Worker(address);
  // By then it has been fetched.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return worker;
}
