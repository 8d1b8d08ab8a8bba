import { existsSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { StreamClasses } from "./implementations.ts";
import { isCallOfNothing } from "./scene.ts";

/** The reference's streams, and how often one of its assertions has failed. */
export interface Reference {
  readonly classes: StreamClasses;
  readonly trips: () => number;
}

/** The file that `REFERENCE_STREAMS` names, from where the command was given; undefined where it is not set. */
export function referenceFile(): string | undefined {
  const path = process.env.REFERENCE_STREAMS;
  return path ? resolve(process.env.INIT_CWD ?? process.cwd(), path) : undefined;
}

/**
 * Loads the reference implementation of the standard, once.
 *
 * @throws {Error} If there is none.
 */
export function loadReference(): Promise<Reference> {
  return loaded ??= load();
}

let loaded: Promise<Reference> | undefined;

async function load(): Promise<Reference> {
  const file = referenceFile();
  if (file === undefined) {
    throw new Error("REFERENCE_STREAMS is not set: name the reference implementation's module");
  }
  if (!existsSync(file)) throw new Error(`REFERENCE_STREAMS names no file: ${file}`);
  const { default: classes } = await import(pathToFileURL(file).href);
  return { classes, trips: await countTrips(classes) };
}

/**
 * Counts the assertions that fail in it. Most are lost in a promise that it hands to no one: that the error is made
 * shows, or that it is asked whether it is one. One assertion fails for sure: that which a write meets while a close
 * goes on.
 */
async function countTrips({ WritableStream }: StreamClasses): Promise<() => number> {
  let trips = 0;
  const writer = new WritableStream({ close: () => new Promise(() => {}) }).getWriter();
  writer.close().catch(() => {});
  await new Promise<void>((resolve) => setImmediate(resolve));
  const error: unknown = await writer.write(0).catch((reason) => reason);
  if (error instanceof Error && !(error instanceof TypeError)) {
    class CountedError extends Error {
      constructor(message?: string) {
        super(message);
        trips++;
      }
    }
    Object.setPrototypeOf(error.constructor, CountedError);
    Object.defineProperty(error.constructor, Symbol.hasInstance, {
      value(reason: unknown) {
        if (isCallOfNothing(reason)) trips++;
        return false;
      },
    });
  }
  return () => trips;
}
