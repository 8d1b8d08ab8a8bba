// deno-lint-ignore-file no-explicit-any -- dictionaries of any chunks

/** A dictionary of methods with an eye on when they are called, and on what they do with their controller. */
export function watchMembers<T extends object>(
  members: T,
  places: Readonly<Record<string, number>>,
  note: (call: string) => void,
): T {
  // One for each controller: a stage may know its stream by that.
  const proxies = new WeakMap<object, object>();
  const watch = (controller: object) => {
    const known = proxies.get(controller);
    if (known !== undefined) return known;
    const proxy = new Proxy(controller, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...values: unknown[]) => {
          note(`controller.${String(name)}`);
          return Reflect.apply(value, target, values);
        };
      },
    });
    proxies.set(controller, proxy);
    return proxy;
  };
  const watched: any = { ...members };
  for (const [name, place] of Object.entries(places)) {
    // Read once, as by a stream.
    const method = watched[name] ?? (members as any)[name];
    if (method === undefined) continue;
    watched[name] = (...values: any[]) => {
      note(name);
      return Reflect.apply(
        method,
        members,
        values.map((value, i) => i === place ? watch(value) : value),
      );
    };
  }
  return watched;
}
