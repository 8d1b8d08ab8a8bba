/** Whether a path of these names is hidden: one of them begins with a dot, but for `.well-known` at the root, which is public. */
export function isHidden(names: readonly string[]): boolean {
  return names.some((name, index) =>
    name.startsWith(".") && !(index === 0 && name === ".well-known")
  );
}
