import { readAddress } from "../../secrets/read_address.ts";
import {
  collectionName,
  indexKeys,
  messageIndexKeys,
  mongodbClient,
} from "../sources/mongodb_client.ts";
import type { SeedContact } from "./seed_contacts.ts";

/**
 * One document of MongoDB: a conversation with its messages, and of its contact what goes with each.
 *
 * A document for each contact, with all its conversations in an array, has no end to its growth and
 * cannot be read in the order of time. One for each conversation stays small, and an index on when
 * it began reads the collection in that order, so that only the conversations that go on at the same
 * time are held to put their messages in order.
 */
interface ConversationDocument {
  readonly _id: number;
  readonly contact: {
    readonly id: number;
    readonly name: string;
    readonly channel: string;
    readonly profile?: string;
  };
  /** When its first message was sent. */
  readonly startedAt: Date;
  /** When its last message was sent. */
  readonly endedAt: Date;
  readonly state?: string;
  readonly messages: readonly {
    readonly id: number;
    readonly sentAt: Date;
    readonly sender: string;
    readonly text: string;
    readonly payload?: string;
  }[];
}

/** Characters of a batch of inserts: a fraction of what a message of the wire protocol may hold. */
const batchLength = 4_000_000;

function* documentsOf(contacts: Iterable<SeedContact>): Generator<ConversationDocument> {
  for (const { id, name, channel, profile, conversations } of contacts) {
    for (const { id: _id, startedAtMs, endedAtMs, state, messages } of conversations) {
      yield {
        _id,
        contact: { id, name, channel, profile },
        startedAt: new Date(startedAtMs),
        endedAt: new Date(endedAtMs),
        state,
        messages: messages.map(({ sentAtMs, ...rest }) => ({
          ...rest,
          sentAt: new Date(sentAtMs),
        })),
      };
    }
  }
}

/** Writes conversations to MongoDB, in place of those that were there, and makes their index. */
export async function seedMongodb(
  address: string,
  contacts: Iterable<SeedContact>,
  signal?: AbortSignal,
): Promise<{ messages: number; name: string }> {
  // A seed may be large and its server slow, and nothing else waits for it.
  const client = mongodbClient(address, 600_000);
  try {
    const collection = client.db().collection<ConversationDocument>(collectionName);
    await collection.drop();
    let batch: ConversationDocument[] = [];
    let length = 0;
    let count = 0;
    for (const document of documentsOf(contacts)) {
      batch.push(document);
      count += document.messages.length;
      length += 4_000 + document.messages.length * 1_000;
      if (length < batchLength) continue;
      await collection.insertMany(batch);
      batch = [];
      length = 0;
      signal?.throwIfAborted();
    }
    if (batch.length > 0) await collection.insertMany(batch);
    await collection.createIndex(indexKeys);
    await collection.createIndex(messageIndexKeys);
    return { messages: count, name: readAddress(address).name };
  } finally {
    await client.close();
  }
}
