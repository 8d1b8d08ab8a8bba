import { skipKafka as skip, withKafka } from "./_kafka.ts";
import { testQueueLaws } from "./_check_queue.ts";

const cannot = (option: string) => `Cannot send: a queue in Kafka has no ${option}`;

// A partition is one member's, so the two workers of a law are consumers of one member.
testQueueLaws(
  "kafkaQueue",
  skip,
  (_, use) =>
    withKafka(1, async ({ join }) => {
      const member = join();
      await use({ one: member, other: member });
    }),
  {
    remade: "remake is not given",
    ids: cannot("ids"),
    remembering: cannot("ids"),
    notBefore: cannot("notBefore"),
    age: "the queue has no `oldestAgeMs`",
    letters: "the queue has no `dead`",
    replay: "the queue has no `dead`",
  },
  {},
  true,
);
