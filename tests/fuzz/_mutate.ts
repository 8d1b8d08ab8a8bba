/** Numbers that look random, the same for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    this.#state = this.#state + 0x6d2b79f5 >>> 0;
    let mixed = Math.imul(this.#state ^ this.#state >>> 15, this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) % end;
  }

  /** One of several. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const encoder = new TextEncoder();
const mostBytes = 120;

function splice(bytes: Uint8Array, at: number, count: number, more: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length - count + more.length);
  result.set(bytes.subarray(0, at));
  result.set(more, at);
  result.set(bytes.subarray(at + count), at + more.length);
  return result;
}

/** Changes an input in one to four places: bytes, tokens, pieces of itself or of another input. */
export function mutate(
  input: Uint8Array,
  others: readonly Uint8Array[],
  tokens: readonly string[],
  dice: Dice,
): Uint8Array {
  let bytes = input;
  for (let changes = 1 + dice.below(4); changes > 0; changes--) {
    const at = dice.below(bytes.length + 1);
    const few = Math.min(bytes.length - at, dice.below(8));
    switch (dice.below(6)) {
      case 0:
        bytes = splice(bytes, at, Math.min(1, bytes.length - at), Uint8Array.of(dice.below(256)));
        break;
      case 1:
        bytes = splice(bytes, at, few, new Uint8Array());
        break;
      case 2:
      case 3:
        bytes = splice(bytes, at, dice.below(2) * few, encoder.encode(dice.pick(tokens)));
        break;
      case 4:
        bytes = splice(bytes, at, 0, bytes.slice(at, at + few));
        break;
      default: {
        const other = dice.pick(others);
        const from = dice.below(other.length + 1);
        bytes = splice(bytes, at, few, other.slice(from, from + dice.below(24)));
      }
    }
  }
  return bytes.slice(0, mostBytes);
}
