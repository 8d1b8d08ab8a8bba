import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { ideographs } from "./ideographs.ts";

/** The SHA-256 of the default input, the same in every runtime. */
export const ideographsDigest = "cbcf0a35672be2b3fcfcc0b0a7f3758dd9407327309dc27b817d97a8a06cf5ce";

const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function isIntact(path: string): Promise<boolean> {
  try {
    return digestOf(await readFile(path)) === ideographsDigest;
  } catch {
    return false;
  }
}

/**
 * Makes the default input of copy_lines at `path`, unless it is there and whole. It appears at once or
 * not at all, since several processes may want it together.
 */
export async function ensureIdeographs(path: string): Promise<void> {
  if (await isIntact(path)) return;
  const bytes = new TextEncoder().encode(Array.from(ideographs(), (line) => line + "\n").join(""));
  const digest = digestOf(bytes);
  if (digest !== ideographsDigest) {
    throw new Error(
      `Cannot make ${path}: this runtime's Unicode tables give digest ${digest}, need ${ideographsDigest}`,
    );
  }
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  try {
    await writeFile(draft, bytes);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
