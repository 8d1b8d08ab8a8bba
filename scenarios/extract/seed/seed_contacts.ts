/** Repeatable random numbers: one stream of them for each pair of seed and index. */
export class Random {
  #state: number;

  constructor(seed: number, index: number) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
    // Neighbouring indexes begin in neighbouring states.
    this.next();
    this.next();
  }

  /** An integer from 0 to 2^32 - 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.next() / 2 ** 32 * limit);
  }

  /** One of `items`. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
}

/** Names of contacts; some are hard on a CSV file. */
const names: readonly string[] = [
  "Amina Diallo",
  "Bea O'Neill",
  'Carlos "Charly" Ruiz',
  "Dvořák, Eliška",
  "Fatma Şahin",
  "=Giulia Conti",
  "Håkon Ødegård",
  "李小龍",
  "Mária Nagy\tKovács",
  "Noor, van den Berg",
  "-Olu Adeyemi",
  "प्रिया शर्मा",
];

/** Channels of conversations. */
const channels: readonly string[] = ["web", "whatsapp", "telegram", "sms", "voice"];

/** What people and bots say; some of it is hard on a CSV file, or on a spreadsheet that opens one. */
const phrases: readonly string[] = [
  "Hello!",
  "Where is my order?",
  "It arrived on Tuesday, thanks.",
  'She said "tomorrow", twice.',
  "First line\nsecond line",
  "Windows line\r\nand another\r\n",
  "an old Mac\rline",
  "👍🏽 great 🎉",
  "Zażółć gęślą jaźń",
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://example.com","click")',
  "+41 44 668 18 00",
  "-5",
  "@SUM(1+1)*cmd",
  "\tindented",
  "\rreturned",
  "'quoted already",
  " spaces around ",
  "",
  '"',
  ",",
  "Your parcel is on its way; you can follow it with the number we have sent you.",
  "Can I change the delivery address? I shall be away from the 3rd to the 9th, and again later.",
  "I am connecting you with a colleague, who has all of this conversation at hand. One moment.",
];

/** Who speaks. */
const senders: readonly string[] = ["bot", "contact", "agent"];

/** A message as it is stored; `payload` is not exported. */
export interface SeedMessage {
  readonly id: number;
  readonly sentAtMs: number;
  readonly sender: string;
  readonly text: string;
  readonly payload: string;
}

/** A conversation; `state` is not exported. */
export interface SeedConversation {
  readonly id: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly state: string;
  /** By time. */
  readonly messages: readonly SeedMessage[];
}

/** A contact; `profile` is not exported. */
export interface SeedContact {
  readonly id: number;
  readonly name: string;
  readonly channel: string;
  readonly profile: string;
  readonly conversations: readonly SeedConversation[];
}

/** How much there is. */
export interface SeedOptions {
  readonly contacts: number;
  readonly days: number;
  readonly seed: number;
}

/** When the first day begins: every seed is of the same time, so that its files are the same. */
export const seedStartMs: number = Date.UTC(2026, 0, 1);

const dayMs = 86_400_000;
/** One contact in so many has 5,000 messages. */
const talkativeEvery = 2_000;

/** JSON of about `size` characters that looks like what systems leave behind. */
function bulk(random: Random, kind: string, size: number): string {
  const notes: string[] = [];
  for (let length = 0; length < size; length += 40) {
    notes.push(`${random.next().toString(36)}-${random.next().toString(36)} ${random.below(1e9)}`);
  }
  return JSON.stringify({ kind, version: 3, notes });
}

/** Times in rising order within a span, often in the same second and sometimes in the same millisecond. */
function times(random: Random, count: number, startMs: number, spanMs: number): number[] {
  const all = Array.from({ length: count }, () => {
    const offset = random.below(spanMs);
    return startMs + (random.below(4) === 0 ? offset : Math.floor(offset / 1000) * 1000);
  });
  return all.sort((one, other) => one - other);
}

/** How many messages each of a contact's conversations has. */
function lengths(random: Random, id: number): number[] {
  if (id % talkativeEvery === 7) return Array.from({ length: 5 }, () => 1_000);
  // Three in ten have said nothing yet.
  if (random.below(10) < 3) return [];
  return Array.from({ length: 1 + random.below(4) }, () => 1 + random.below(8));
}

/**
 * Makes contacts with their conversations, the same for the same options wherever it runs. Numbers
 * rise from contact to contact, so the order of messages by number is not their order in time.
 */
export function* seedContacts({ contacts, days, seed }: SeedOptions): Generator<SeedContact> {
  let conversationId = 0;
  let messageId = 0;
  for (let id = 1; id <= contacts; id++) {
    const random = new Random(seed, id);
    const conversations = lengths(random, id).map((length): SeedConversation => {
      const spanMs = Math.min(length > 100 ? dayMs : 600_000 + random.below(7_200_000), dayMs);
      const startMs = seedStartMs + random.below(days * dayMs - spanMs + 1);
      const messages = times(random, length, startMs, spanMs).map((sentAtMs): SeedMessage => ({
        id: ++messageId,
        sentAtMs,
        sender: random.pick(senders),
        text: random.below(6) === 0
          ? `${random.pick(phrases)} ${random.pick(phrases)}`
          : random.pick(phrases),
        payload: bulk(random, "message", 600),
      }));
      return {
        id: ++conversationId,
        startedAtMs: messages[0]!.sentAtMs,
        endedAtMs: messages.at(-1)!.sentAtMs,
        state: bulk(random, "conversation", 1_200),
        messages,
      };
    });
    yield {
      id,
      name: `${random.pick(names)} ${id}`,
      channel: random.pick(channels),
      profile: bulk(random, "contact", 2_000),
      conversations,
    };
  }
}
