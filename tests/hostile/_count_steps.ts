// deno-lint-ignore-file no-explicit-any -- it stands in the place of any method
/** `from` is where a regular expression began. */
type Cost = (self: any, args: any[], result: any, from: number) => number;

const all: Cost = (self) => self.length;
const found: Cost = (self, [, start = 0], result) =>
  (result === -1 ? self.length : result + 1) - Math.min(start, self.length);
const one: Cost = () => 1;

/** How many units each method may read, by its arguments and what it found. */
const costs: readonly (readonly [object, Record<string, Cost>])[] = [
  [String.prototype, {
    ...{
      indexOf: found,
      lastIndexOf: all,
      includes: all,
      split: all,
      replaceAll: all,
      replace: all,
    },
    ...{ endsWith: all, startsWith: (_self, [text]) => String(text).length, trim: all, match: all },
    ...{ toLowerCase: all, slice: (_self, _args, result) => result.length, charCodeAt: one },
    ...{ codePointAt: one, at: one, isWellFormed: all, toWellFormed: all },
  }],
  [Uint8Array.prototype, {
    indexOf: found,
    lastIndexOf: all,
    set: (_self, [bytes]) => bytes.length,
  }],
  [Uint8Array.prototype, { slice: (_self, _args, result) => result.length, subarray: one }],
  [RegExp.prototype, {
    exec: (_self, [text], result, from) =>
      (result === null ? String(text).length : result.index + result[0].length + 1) - from,
  }],
  [Set.prototype, { has: one }],
  [Map.prototype, { has: one, get: one }],
  [TextDecoder.prototype, { decode: (_self, [bytes]) => bytes?.byteLength ?? 0 }],
  [JSON, { parse: (_self, [text]) => String(text).length }],
];

/** Counts the units of text and bytes that methods read while `use` runs: the same on every machine. */
export async function countSteps(use: () => unknown): Promise<number> {
  let steps = 0;
  const restore: (() => void)[] = [];
  for (const [target, methods] of costs) {
    for (const [name, cost] of Object.entries(methods)) {
      const native = Object.getOwnPropertyDescriptor(target, name) ??
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), name)!;
      const isOwn = Object.hasOwn(target, name);
      const method = native.value as (...args: unknown[]) => unknown;
      Object.defineProperty(target, name, {
        ...native,
        value(this: unknown, ...args: unknown[]) {
          const from = this instanceof RegExp && (this.global || this.sticky) ? this.lastIndex : 0;
          const result = Reflect.apply(method, this, args);
          steps += cost(this, args, result, from);
          return result;
        },
      });
      restore.push(() => {
        if (isOwn) Object.defineProperty(target, name, native);
        else delete (target as Record<string, unknown>)[name];
      });
    }
  }
  try {
    await use();
  } finally {
    for (const undo of restore.reverse()) undo();
  }
  return steps;
}
