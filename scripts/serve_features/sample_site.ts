import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import { mkdir, mkdtemp, open, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** When the site's files were last modified, in seconds. */
export const modifiedSeconds = Date.UTC(2024, 1, 29, 12, 34, 56) / 1000;

/** The same as a header says it. */
export const lastModified = new Date(modifiedSeconds * 1000).toUTCString();

const files: Readonly<Record<string, string>> = {
  "root/index.html": "<!doctype html>index page\n",
  "root/hello.txt": "hello world\n",
  "root/empty.bin": "",
  "root/100%.txt": "percent\n",
  "root/ünï.txt": "unicode\n",
  "root/sub/index.html": "<!doctype html>sub page\n",
  "root/list/one.txt": "one\n",
  // Encoded files are recognized by their contents, so they need not be real ones.
  "root/app.js": "plain script, which is long enough that no server leaves it as it is\n",
  "root/app.js.br": "in br\n",
  "root/app.js.gz": "in gzip\n",
  "root/app.js.zst": "in zstd\n",
  "root/.env": "SECRET\n",
  "root/.git/config": "SECRET\n",
  "root/.well-known/security.txt": "well known\n",
  "secret.txt": "SECRET\n",
  "outside/secret.txt": "SECRET\n",
};

const links: Readonly<Record<string, string>> = {
  "root/link-inside.txt": "hello.txt",
  "root/link-outside.txt": "../secret.txt",
  "root/link-folder": "../outside",
};

/** Makes a site to serve for as long as `use` takes. */
export async function withSampleSite<T>(use: (root: string) => Promise<T>): Promise<T> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-features-")));
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(base, name)), { recursive: true });
      await writeFile(join(base, name), content);
      await utimes(join(base, name), modifiedSeconds, modifiedSeconds);
    }
    for (const [name, target] of Object.entries(links)) await symlink(target, join(base, name));
    execFileSync("mkfifo", [join(base, "root/pipe")]);
    // A server may change its user before it reads.
    execFileSync("chmod", ["-R", "a+rX", base]);
    return await use(join(base, "root"));
  } finally {
    // Whatever has opened the pipe waits for a writer, with a thread that would keep the process.
    const pipe = join(base, "root/pipe");
    await open(pipe, constants.O_RDWR | constants.O_NONBLOCK).then((end) => end.close(), () => {});
    await rm(base, { recursive: true, force: true });
  }
}
