import { createRequire } from "node:module";
import process from "node:process";

/** The program that esbuild starts. */
export function esbuildProgram(): string {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve("esbuild"));
  const file = process.platform === "win32" ? "esbuild.exe" : "bin/esbuild";
  return resolve(`@esbuild/${process.platform}-${process.arch}/${file}`);
}
