// Pipes into a sink that fails in the turn in which a chunk comes, and leaves the source open; `native` or `library`.
import process from "node:process";
import { pipeline } from "../../mod.ts";

let give!: () => void;
let fail!: () => void;
const source = new ReadableStream<number>({
  start: (controller) => void (give = () => controller.enqueue(1)),
});
const sink = new WritableStream<number>({
  start: (controller) => void (fail = () => controller.error("on purpose")),
});
const options = { preventCancel: true };
const piped: Promise<unknown> = process.argv[2] === "native"
  ? source.pipeTo(sink, options)
  : pipeline(source, sink, options);
const failure = piped.then(() => undefined, (reason) => reason);
await new Promise<void>((resolve) => setImmediate(resolve));
fail();
give();
process.exitCode = await failure === "on purpose" ? 0 : 1;
