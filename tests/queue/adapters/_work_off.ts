import { pipeline } from "@hosepipe/streams";
import { Consumer, messages, perMessage, type QueueSource, stored } from "@hosepipe/streams/queue";

/** Works until so many messages are done, and then until all are settled; gives the bodies and the reasons of the dead. */
export async function workOff(queue: QueueSource<string>, healthy: number) {
  const [bodies, reasons]: unknown[][] = [[], []];
  const consumer = new Consumer(queue, {
    leaseMs: 120_000,
    onEvent: (event) => {
      if (event.kind === "dead") reasons.push((event.reason as Error).message);
      else if (event.kind === "outage") reasons.push(event.reason);
    },
  });
  await pipeline(
    messages(consumer),
    perMessage<string>(),
    stored<string>(consumer, (outputs) => {
      bodies.push(...outputs.map(({ value }) => value));
      if (bodies.length === healthy) consumer.stop();
    }),
  );
  return { bodies, reasons };
}
