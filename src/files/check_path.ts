import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { throwTypeError } from "../errors.ts";

/** A path that the application gives, made absolute now: the working directory may change. */
export function checkPath(action: string, name: string, path: unknown): string {
  if (path instanceof URL && path.protocol === "file:") return fileURLToPath(path);
  if (typeof path === "string" && path !== "") return resolve(path);
  throwTypeError(action, name, "a path or a file: URL", path);
}
