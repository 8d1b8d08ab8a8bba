/**
 * One document of MongoDB: a conversation with its messages, and of its contact what goes with each.
 *
 * A document for each contact, with all its conversations in an array, has no end to its growth and
 * cannot be read in the order of time. One for each conversation stays small, and an index on when
 * it began reads the collection in that order, so that only the conversations that go on at the same
 * time are held to put their messages in order.
 */
export interface ConversationDocument {
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
