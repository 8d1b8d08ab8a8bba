import type { MongoClient } from "mongodb";
import type { RowSource, Selection } from "../source.ts";
import { MongodbCollection } from "./mongodb_collection.ts";
import { mongodbClient } from "./mongodb_client.ts";
import { MongodbConversations } from "./mongodb_conversations.ts";
import { hideSecrets } from "../../secrets/hide_secrets.ts";
import { readAddress } from "../../secrets/read_address.ts";

async function openSelected(
  name: string,
  client: MongoClient,
  selection: Selection,
): Promise<RowSource> {
  switch (selection.from.kind) {
    case "conversations":
      return await MongodbConversations.open(name, client, selection);
    case "collection":
      return await MongodbCollection.open(name, client, selection, selection.from);
    default:
      throw new RangeError("MongoDB has collections, not tables: use --collection");
  }
}

/**
 * Opens a collection of a MongoDB database.
 *
 * @throws {Error} If the server cannot be reached, or there is no such collection.
 * @throws The signal's reason, if it aborts.
 */
export async function openMongodb(
  address: string,
  selection: Selection,
  signal?: AbortSignal,
): Promise<RowSource> {
  const { name } = readAddress(address);
  let client: MongoClient | undefined;
  const abort = () => void client?.close().catch(() => {});
  signal?.addEventListener("abort", abort);
  try {
    client = mongodbClient(address, selection.timeoutMs);
    return await openSelected(name, client, selection);
  } catch (cause) {
    await client?.close();
    if (signal?.aborted) throw signal.reason;
    const reason = hideSecrets((cause as Error).message, [address]);
    throw new Error(`Cannot open ${name}: ${reason}`, { cause });
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
