type Owner = Record<string, unknown>;

/** What tests replace: whatever waits or looks at the time in the files after them would stand still. */
const watched: readonly (readonly [owner: unknown, ownerName: string, names: readonly string[]])[] =
  [
    [globalThis, "", ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "Date"]],
    [globalThis, "", ["clearTimeout", "clearInterval", "clearImmediate", "Promise", "fetch"]],
    [Date, "Date.", ["now"]],
    [Math, "Math.", ["random"]],
    [performance, "performance.", ["now"]],
  ];

/** Notes the functions that tests share. `check` throws if any was replaced, and puts it back. */
export function noteGlobals(): { check(): void } {
  const noted = watched.flatMap(([owner, ownerName, names]) =>
    names.map((name) => {
      const own = owner as Owner;
      return { own, name, value: own[name], title: ownerName + name };
    })
  );
  return {
    check() {
      const left = noted.filter(({ own, name, value }) => own[name] !== value);
      for (const { own, name, value } of left) own[name] = value;
      if (left.length === 0) return;
      const titles = left.map(({ title }) => title).join(", ");
      throw new Error(`The file before has not put back ${titles}, which files after it use`);
    },
  };
}
