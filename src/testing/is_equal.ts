const isObject = (value: unknown): value is object => value !== null && typeof value === "object";

function isList(value: object): value is ArrayLike<unknown> {
  return Array.isArray(value) || ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function areListsEqual(one: ArrayLike<unknown>, other: ArrayLike<unknown>): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (!isEqual(one[i], other[i])) return false;
  return true;
}

/** Tells whether two chunks have the same content: arrays, bytes, dates, maps, sets and plain objects are looked into. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other)) return false;
  const prototype = Object.getPrototypeOf(one);
  if (prototype !== Object.getPrototypeOf(other)) return false;
  if (isList(one)) return areListsEqual(one, other as ArrayLike<unknown>);
  if (one instanceof Date) return Object.is(one.getTime(), (other as Date).getTime());
  if (one instanceof Map || one instanceof Set) {
    return areListsEqual([...one], [...other as Set<unknown>]);
  }
  // Two of a class of their own are the same only if they are one.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  const keys = Reflect.ownKeys(one);
  const members = one as Record<PropertyKey, unknown>;
  return keys.length === Reflect.ownKeys(other).length &&
    keys.every((key) =>
      Object.hasOwn(other, key) && isEqual(members[key], (other as typeof members)[key])
    );
}
