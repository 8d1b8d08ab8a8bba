import { assertEquals } from "@std/assert";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { listFolder } from "../../src/files/list_folder.ts";
import { asPlatform } from "./as_platform.ts";
import { hasLinks } from "./fixture.ts";

/** Folders to list: only what is in `root` may be seen. */
function withFolders(use: (base: string) => Promise<void>): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), "hosepipe-list-"));
  for (const folder of ["root/b/deep", "root/a", "root/.hidden", "outside/deep"]) {
    mkdirSync(join(base, folder), { recursive: true });
  }
  for (const file of ["root/z.txt", "root/Z & <1>.txt", "root/b/deep/x", "outside/deep/SECRET"]) {
    writeFileSync(join(base, file), "");
  }
  return use(base).finally(() => rmSync(base, { recursive: true }));
}

/** Lists as on another system; `meanwhile` happens once the folder has been looked up and before it is read. */
function listAs(
  platform: string,
  root: string,
  names: readonly string[],
  meanwhile?: () => void,
): Promise<string | undefined> {
  return asPlatform(platform, () => listFolder(root, names, false), meanwhile);
}

// What is open can be named on Linux only, and is there looked at in place of the path.
const platforms = ["darwin", ...process.platform === "linux" ? ["linux"] : []];

/** The title of a page and its list, line by line. */
function shown(page: string | undefined): string[] {
  return [...page!.match(/<title>.*<\/title>|<h1>.*<\/h1>|<li>.*<\/li>/g)!];
}

for (const platform of platforms) {
  test(`a folder's page names it, the one above it, and what is in it, folders first, on ${platform}`, () =>
    withFolders(async (base) => {
      const root = join(base, "root");
      const folder = (name: string) => `<li><a href="./${name}/">${name}/</a></li>`;
      assertEquals(shown(await listAs(platform, root, [])), [
        "<title>/</title>",
        "<h1>/</h1>",
        folder("a"),
        folder("b"),
        '<li><a href="./Z%20%26%20%3C1%3E.txt">Z &amp; &lt;1&gt;.txt</a></li>',
        '<li><a href="./z.txt">z.txt</a></li>',
      ]);
      assertEquals(shown(await listAs(platform, root, ["b"])), [
        "<title>/b/</title>",
        "<h1>/b/</h1>",
        folder(".."),
        folder("deep"),
      ]);
      assertEquals(shown(await listAs(platform, root, ["b", "deep"])), [
        "<title>/b/deep/</title>",
        "<h1>/b/deep/</h1>",
        folder(".."),
        '<li><a href="./x">x</a></li>',
      ]);
    }));

  test(
    `a link that leads out, a file and what is not there are no folders, on ${platform}`,
    { skip: !hasLinks },
    () =>
      withFolders(async (base) => {
        const root = join(base, "root");
        symlinkSync("../outside", join(root, "out"));
        for (const names of [["out"], ["out", "deep"], ["z.txt"], ["nowhere"], [".."]]) {
          assertEquals(await listAs(platform, root, names), undefined, names.join("/"));
        }
      }),
  );

  test(
    `a folder that is taken away or replaced before it is read is no folder, on ${platform}`,
    { skip: !hasLinks },
    async () => {
      const moments: Record<string, (root: string) => void> = {
        "nothing in its place": (root) => renameSync(join(root, "b"), join(root, "c")),
        "a file in its place": (root) => {
          renameSync(join(root, "b"), join(root, "c"));
          writeFileSync(join(root, "b"), "");
        },
        "a link that leads out above it": (root) => {
          renameSync(join(root, "b"), join(root, "c"));
          symlinkSync("../outside", join(root, "b"));
        },
        "a link that leads out in its place": (root) => {
          renameSync(join(root, "b/deep"), join(root, "c"));
          symlinkSync("../../outside/deep", join(root, "b/deep"));
        },
        "a link to what is hidden in its place": (root) => {
          renameSync(join(root, "b/deep"), join(root, "c"));
          symlinkSync("../.hidden", join(root, "b/deep"));
        },
        // Which must not be waited for, either.
        "a pipe in its place": (root) => {
          renameSync(join(root, "b/deep"), join(root, "c"));
          execFileSync("mkfifo", [join(root, "b/deep")]);
        },
      };
      for (const [moment, meanwhile] of Object.entries(moments)) {
        await withFolders(async (base) => {
          const root = join(base, "root");
          const page = await listAs(platform, root, ["b", "deep"], () => meanwhile(root));
          assertEquals(page, undefined, moment);
        });
      }
    },
  );
}

test("names that no link can lead to are counted, not listed", {
  skip: process.platform === "linux" ? false : "no such names there",
}, () =>
  withFolders(async (base) => {
    const root = join(base, "root/b");
    execFileSync("sh", ["-c", "touch 'back\\slash' 'a?b#c%' \"$(printf 'bad\\377')\""], {
      cwd: root,
    });
    const page = await listFolder(root, [], false);
    assertEquals(shown(page).slice(2), [
      '<li><a href="./deep/">deep/</a></li>',
      '<li><a href="./a%3Fb%23c%25">a?b#c%</a></li>',
    ]);
    assertEquals(
      /<p>.*<\/p>/.exec(page!)?.[0],
      "<p>Not listed, because no link can name them: 2</p>",
    );
  }));
