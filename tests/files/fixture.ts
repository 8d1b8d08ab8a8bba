import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** When the fixture's files were last modified, in seconds. */
export const modifiedSeconds = Date.UTC(2024, 1, 29, 12, 34, 56) / 1000;

/** The contents of `big.bin`: no two places look alike, and it takes several chunks. */
export const bigBytes = pattern(600_003);

/** Bytes of which each place can be told from the others. */
export function pattern(size: number): Buffer {
  const words = new Uint32Array(Math.ceil(size / 4));
  for (let index = 0; index < words.length; index++) words[index] = index * 2654435761;
  return Buffer.from(words.buffer, 0, size);
}

/** Links and pipes are not everywhere for everybody. */
export const hasLinks = process.platform !== "win32";

const files: Readonly<Record<string, string | Buffer>> = {
  "root/hello.txt": "hello world\n",
  "root/page.html": "<!doctype html>\n",
  "root/data.json": "{}\n",
  "root/unknown.zzz": "?",
  "root/no-extension": "plain",
  "root/empty.bin": "",
  "root/big.bin": bigBytes,
  "root/sub/inner.txt": "inner\n",
  "root/name with space.txt": "space\n",
  "root/100%.txt": "percent\n",
  "root/%2e%2e": "dots by name\n",
  "root/ünï.txt": "unicode\n",
  "root/..dots.txt": "SECRET leading dots\n",
  "root/.env": "SECRET\n",
  "root/.git/config": "SECRET\n",
  "root/sub/.hidden": "SECRET\n",
  "root/sub/.well-known/inner.txt": "SECRET\n",
  "root/.well-known/security.txt": "well known\n",
  "root/.well-known/.secret": "SECRET\n",
  "secret.txt": "SECRET\n",
  "outside/secret.txt": "SECRET\n",
  // A folder whose name only begins like the root's.
  "root-evil/secret.txt": "SECRET\n",
};

const links: Readonly<Record<string, string>> = {
  "root/link-inside.txt": "hello.txt",
  "root/link-sub": "sub",
  "root/link-outside.txt": "../secret.txt",
  "root/link-evil.txt": "../root-evil/secret.txt",
  "root/link-folder": "../outside",
  "root/link-twice": "link-folder/secret.txt",
  "root/link-dangling": "nowhere",
  "root/link-loop": "link-loop",
  "root/link-self": ".",
  "root/link-hidden": ".env",
  "root/link-git": ".git",
  "root/link-known": ".well-known",
};

/** Makes a folder to serve from for as long as `use` takes; what surrounds it must never be seen. */
export async function withFixture<T>(use: (root: string, base: string) => Promise<T>): Promise<T> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-serve-test-")));
  try {
    for (
      const folder of [
        "root/sub/.well-known",
        "root/.git",
        "root/.well-known",
        "outside",
        "root-evil",
      ]
    ) {
      await mkdir(join(base, folder), { recursive: true });
    }
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(base, name), content);
      await utimes(join(base, name), modifiedSeconds, modifiedSeconds + 0.5);
    }
    if (hasLinks) {
      for (const [name, target] of Object.entries(links)) await symlink(target, join(base, name));
      execFileSync("mkfifo", [join(base, "root/pipe")]);
    }
    return await use(join(base, "root"), base);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** Does something as on another system; `onFirst` is called as the system is first asked for. */
export async function asPlatform<T>(
  platform: string,
  act: () => Promise<T>,
  onFirst: () => void = () => {},
): Promise<T> {
  const real = Object.getOwnPropertyDescriptor(process, "platform")!;
  let isFirst = true;
  Object.defineProperty(process, "platform", {
    configurable: true,
    get() {
      if (isFirst) onFirst();
      isFirst = false;
      return platform;
    },
  });
  try {
    return await act();
  } finally {
    Object.defineProperty(process, "platform", real);
  }
}
