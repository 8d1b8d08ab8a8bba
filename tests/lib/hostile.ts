/** Something that throws when it is looked at or called, and what it is of a promise. */
export interface Hostile {
  readonly name: string;
  readonly make: (reason: unknown) => unknown;
}

/** An object whose member `name` throws when it is read. */
export function throwingGetter<T extends object>(name: string, reason: unknown, object: T): T {
  return Object.defineProperty(object, name, {
    configurable: true,
    enumerable: true,
    get(): never {
      throw reason;
    },
  });
}

/** What a method may return in place of a promise, so that to wait for it fails with the reason. */
export const hostilePromises: readonly Hostile[] = [
  { name: "a getter of then that throws", make: (reason) => throwingGetter("then", reason, {}) },
  {
    name: "a then that throws",
    make: (reason) => ({
      then(): never {
        throw reason;
      },
    }),
  },
  {
    name: "a then that calls back and throws",
    make: (reason) => ({
      then(_onFulfilled: unknown, onRejected: (reason: unknown) => void): never {
        onRejected(reason);
        throw new Error("too late to count");
      },
    }),
  },
  {
    name: "a promise whose constructor throws",
    make: (reason) => throwingGetter("constructor", reason, Promise.resolve(1)),
  },
];
