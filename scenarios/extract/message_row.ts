/** One message of a conversation. Fields that nobody asked for are not there. */
export interface MessageRow {
  /** Unique among all messages; decides the order of messages of the same millisecond. */
  readonly messageId: number;
  /** Milliseconds since the epoch. */
  readonly sentAtMs: number;
  readonly contactId?: number;
  readonly contactName?: string;
  readonly channel?: string;
  readonly conversationId?: number;
  readonly sender?: string;
  readonly text?: string;
}

/** A field of a message that a source may be asked for. */
export type MessageField = keyof MessageRow;
