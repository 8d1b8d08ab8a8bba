// deno-lint-ignore-file no-explicit-any -- dictionaries of any chunks

/** A dictionary of methods with an eye on when they are called, and on what they do with their controller. */
export function watchMembers<T extends object>(
  members: T,
  places: Readonly<Record<string, number>>,
  note: (call: string) => void,
): T {
  const watch = (controller: object) =>
    new Proxy(controller, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...values: unknown[]) => {
          note(`controller.${String(name)}`);
          return Reflect.apply(value, target, values);
        };
      },
    });
  const watched: any = { ...members };
  for (const [name, place] of Object.entries(places)) {
    if ((members as any)[name] === undefined) continue;
    watched[name] = (...values: any[]) => {
      note(name);
      return (members as any)[name](
        ...values.map((value, i) => i === place ? watch(value) : value),
      );
    };
  }
  return watched;
}
