const members = ["start", "transform", "flush", "cancel", "readable", "writable"];
const types = ["readableType", "writableType"];

/** Tells whether the last argument is options: a plain object with nothing that a stage has. */
export function isOptions(value: unknown): boolean {
  if (value === undefined) return true;
  if (value === null || typeof value !== "object") return false;
  const prototype = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) &&
    ![...members, ...types].some((member) => member in value);
}
