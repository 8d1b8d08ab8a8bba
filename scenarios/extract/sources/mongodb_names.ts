/** The collection of conversations. */
export const collectionName = "conversations";

/** Time first: reading a part by time, then id, is a walk along it; the end of each is in it too. */
export const indexKeys = { startedAt: 1, _id: 1, endedAt: 1 } as const;

/** For messages that lie outside their conversations to be found. */
export const messageIndexKeys = { "messages.sentAt": 1 } as const;
