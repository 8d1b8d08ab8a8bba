interface Runtime {
  readonly process?: { getBuiltinModule?(name: string): unknown };
}

/** A module of the runtime's own, such as `node:fs`; `undefined` where there is none, as in a browser. */
export function builtinModule<M>(name: string): M | undefined {
  return (globalThis as Runtime).process?.getBuiltinModule?.(name) as M | undefined;
}
