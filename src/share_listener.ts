/** Adds a listener to a target, or takes it away. */
type Listen<Target> = (target: Target, listener: () => void) => void;

/**
 * Makes a function that calls back at an event of a target, until what it answers is called, by one listener for all:
 * targets warn of many, and forget one in time in proportion to how many they have. Callbacks throw nothing.
 */
export function shareListener<Target extends object>(
  add: Listen<Target>,
  remove: Listen<Target>,
): (target: Target, callback: () => void) => () => void {
  const shared = new WeakMap<Target, { callbacks: Set<() => void>; listener: () => void }>();
  const listen = (target: Target) => {
    const callbacks = new Set<() => void>();
    const made = { callbacks, listener: () => callbacks.forEach((callback) => callback()) };
    add(target, made.listener);
    shared.set(target, made);
    return made;
  };
  return (target, callback) => {
    const { callbacks, listener } = shared.get(target) ?? listen(target);
    callbacks.add(callback);
    return () => {
      if (!callbacks.delete(callback) || callbacks.size > 0) return;
      remove(target, listener);
      shared.delete(target);
    };
  };
}
