/** Makes `looks` stand for `real` to those that use it: the members that it has not are those of `real`. */
export function overlay<T extends object>(real: T, looks: Partial<T>): T {
  for (let level: object | null = real; level !== null; level = Object.getPrototypeOf(level)) {
    for (const key of Reflect.ownKeys(level)) {
      const get = (): unknown => {
        const value: unknown = Reflect.get(real, key);
        return typeof value === "function" ? value.bind(real) : value;
      };
      if (!(key in looks)) Object.defineProperty(looks, key, { get });
    }
  }
  return looks as T;
}
