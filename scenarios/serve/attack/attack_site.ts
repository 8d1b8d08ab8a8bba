import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import { mkdir, mkdtemp, open, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What only a file outside of what is served holds. */
export const secret = "SECRET-OUTSIDE";

/** The large file that attacks ask for. */
export const bigName = "big.bin";

/** Bytes of it. */
export const bigSize: number = 16 * 2 ** 20;

const files: Readonly<Record<string, string>> = {
  "root/hello.txt": "hello world\n",
  "root/index.html": "<!doctype html>index\n",
  "root/sub/index.html": "<!doctype html>sub\n",
  "root/.env": secret,
  "root/.git/config": secret,
  "root/sub/.hidden": secret,
  "secret.txt": secret,
  "outside/secret.txt": secret,
  "root-evil/secret.txt": secret,
};

const links: Readonly<Record<string, string>> = {
  "root/link-outside.txt": "../secret.txt",
  "root/link-folder": "../outside",
  "root/link-twice": "link-folder/secret.txt",
  "root/link-hidden": ".env",
  "root/sub/link-git": "../.git",
};

/** Makes a folder to attack, with secrets around it, for as long as `use` takes. */
export async function withAttackSite<T>(use: (root: string) => Promise<T>): Promise<T> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-attack-")));
  const pipe = join(base, "root/pipe");
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(base, name)), { recursive: true });
      await writeFile(join(base, name), content);
    }
    for (const [name, target] of Object.entries(links)) await symlink(target, join(base, name));
    await writeFile(join(base, "root", bigName), new Uint8Array(bigSize).fill(97));
    execFileSync("mkfifo", [pipe]);
    // A server may change its user before it reads.
    execFileSync("chmod", ["-R", "a+rX", base]);
    return await use(join(base, "root"));
  } finally {
    // Whatever has opened the pipe waits for a writer, with a thread that would keep the process.
    await open(pipe, constants.O_RDWR | constants.O_NONBLOCK).then((end) => end.close(), () => {});
    await rm(base, { recursive: true, force: true });
  }
}
