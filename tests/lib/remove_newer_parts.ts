/**
 * Takes away what Safari 16.4, the oldest browser that the library is for, lacks; whatever else `Symbol` has stays.
 * A page runs it as text, so it uses nothing from outside.
 */
export function removeNewerParts(): void {
  const removed: readonly (readonly [object, readonly PropertyKey[]])[] = [
    [Promise, ["withResolvers", "try"]],
    [Array, ["fromAsync"]],
    [Object, ["groupBy"]],
    [Map, ["groupBy"]],
    [AbortSignal, ["any"]],
    [URL, ["canParse", "parse"]],
    [Blob.prototype, ["bytes"]],
    [Response.prototype, ["bytes"]],
    [Request.prototype, ["bytes"]],
    [ArrayBuffer.prototype, ["transfer", "transferToFixedLength", "detached"]],
    [ReadableStream, ["from"]],
    [ReadableStream.prototype, [Symbol.asyncIterator, "values"]],
    [Set.prototype, ["union", "intersection", "difference", "isSubsetOf", "isSupersetOf"]],
    [Object.getPrototypeOf(Object.getPrototypeOf([].values())), [
      ...["map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some"],
      ...["every", "find"],
    ]],
  ];
  for (const [owner, names] of removed) {
    for (const name of names) {
      // Bun has some that can only be written over.
      if (!Reflect.deleteProperty(owner, name)) Reflect.set(owner, name, undefined);
      if (Reflect.get(owner, name) !== undefined) throw new Error(`Cannot remove ${String(name)}`);
    }
  }
  // Its own two cannot be deleted.
  const Native = Symbol;
  const older = (description?: string) => Native(description);
  for (const name of Object.getOwnPropertyNames(Native)) {
    if (["dispose", "asyncDispose", "length", "name"].includes(name)) continue;
    Object.defineProperty(older, name, Object.getOwnPropertyDescriptor(Native, name)!);
  }
  Object.assign(globalThis, { Symbol: older });
}
