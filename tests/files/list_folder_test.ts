import { assertEquals } from "@std/assert";
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileHandler } from "../../src/files/file_handler.ts";
import { FolderLists, formatSize, listFolder } from "../../src/files/list_folder.ts";
import { asPlatform, hasLinks } from "./fixture.ts";
import { turns } from "../lib/turns.ts";

/** Lists that are read when `end` is called, first come first. */
function heldLists() {
  const readings: (readonly [folder: string, numbers: readonly number[]])[] = [];
  const ends: ((error?: Error) => void)[] = [];
  let [open, most] = [0, 0];
  const lists = new FolderLists((names, numbers) => {
    readings.push([names.join("/"), numbers]);
    most = Math.max(most, ++open);
    const texts = new Map(numbers.filter((one) => one < 50).map((one) => [one, `${names} ${one}`]));
    return new Promise((resolve, reject) =>
      ends.push((error) => {
        open--;
        if (error === undefined) resolve(texts);
        else reject(error);
      })
    );
  });
  const end = async (error?: Error) => {
    ends.shift()!(error);
    await turns();
  };
  return { lists, readings, ends, end, most: () => most };
}

test("requests for a folder that waits to be read share one reading, and two are read at once", async () => {
  const { lists, readings, ends, end, most } = heldLists();
  const asked = Array.from({ length: 100 }, (_, index) => lists.read(["a"], 1 + index % 2));
  const other = lists.read(["b", "c"], 60);
  while (ends.length > 0) await end();
  assertEquals(
    await Promise.all(asked),
    Array.from({ length: 100 }, (_, index) => `a ${1 + index % 2}`),
  );
  assertEquals(await other, undefined);
  // The second began while the first was read; what was asked for after that is in one more.
  assertEquals(readings, [["a", [1]], ["a", [2]], ["a", [1, 2]], ["b/c", [60]]]);
  assertEquals(most(), 2);
  const later = lists.read(["a"], 1);
  await end();
  assertEquals(await later, "a 1");
  assertEquals(readings.length, 5);
});

test("a reading has at most 16 pages, and one that fails fails those alone", async () => {
  const { lists, readings, ends, end } = heldLists();
  const first = [lists.read(["x"], 1), lists.read(["y"], 1)];
  const asked = Array.from({ length: 40 }, (_, index) => lists.read(["a"], index + 1));
  await end();
  await end();
  await Promise.all(first);
  const failure = new Error("EIO");
  const settled = Promise.allSettled(asked);
  await end(failure);
  while (ends.length > 0) await end();
  assertEquals(readings.slice(2).map(([, numbers]) => numbers.length), [16, 16, 8]);
  const results = await settled;
  assertEquals(results.map(({ status }) => status === "rejected"), results.map((_, at) => at < 16));
});

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

async function pageOf(root: string, names: readonly string[] = [], number = 1) {
  return (await listFolder(root, names, false, [number])).get(number);
}

/** Lists as on another system; `meanwhile` happens once the folder has been looked up and before it is read. */
function listAs(
  platform: string,
  root: string,
  names: readonly string[],
  meanwhile?: () => void,
): Promise<string | undefined> {
  return asPlatform(platform, () => pageOf(root, names), meanwhile);
}

// What is open can be named on Linux only, and is there looked at in place of the path.
const platforms = ["darwin", ...process.platform === "linux" ? ["linux"] : []];

/** The title of a page and its list, line by line. */
function shown(page: string | undefined): string[] {
  return [...page!.match(/<title>.*<\/title>|<h1>.*<\/h1>|<a href="\.\/(?!\?).*?<\/a>/g)!];
}

for (const platform of platforms) {
  test(`a folder's page names it, the one above it, and what is in it, folders first, on ${platform}`, () =>
    withFolders(async (base) => {
      const root = join(base, "root");
      const folder = (name: string) => `<a href="./${name}/">${name}/</a>`;
      assertEquals(shown(await listAs(platform, root, [])), [
        "<title>/</title>",
        "<h1>/</h1>",
        folder("a"),
        folder("b"),
        '<a href="./Z%20%26%20%3C1%3E.txt">Z &amp; &lt;1&gt;.txt</a>',
        '<a href="./z.txt">z.txt</a>',
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
        '<a href="./x">x</a>',
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
    const page = await pageOf(root);
    assertEquals(shown(page).slice(2), [
      '<a href="./deep/">deep/</a>',
      '<a href="./a%3Fb%23c%25">a?b#c%</a>',
    ]);
    assertEquals(
      /<p>.*<\/p>/.exec(page!)?.[0],
      "<p>Not listed, because no link can name them: 2</p>",
    );
  }));

/** The names of a page's lines, in their order. */
const namesOf = (page: string | undefined) =>
  [...page!.matchAll(/<tr><td><a href="\.\/([^"]*)"/g)].map(([, name]) => name!);

test(
  "a folder of more than 1,000 names has pages",
  { timeout: 60_000 },
  () =>
    withFolders(async (base) => {
      const root = join(base, "root/a");
      const all = Array.from({ length: 2300 }, (_, index) => `f${String(index).padStart(4, "0")}`);
      for (const name of all) writeFileSync(join(root, name), "");
      mkdirSync(join(root, "z"));
      const pages = [];
      for (let number = 1; number <= 3; number++) {
        pages.push(await pageOf(root, [], number));
      }
      assertEquals(pages.map((page) => namesOf(page).length), [1000, 1000, 301]);
      assertEquals(pages.flatMap(namesOf), ["z/", ...all]);
      const links = pages.map((page) =>
        [...new Set(page!.match(/Page \d of \d|href="\.\/\?page=\d+"/g))].join(" ")
      );
      assertEquals(links, [
        'Page 1 of 3 href="./?page=2"',
        'Page 2 of 3 href="./?page=1" href="./?page=3"',
        'Page 3 of 3 href="./?page=2"',
      ]);
      assertEquals(await pageOf(root, [], 4), undefined);
      assertEquals(await pageOf(root, [], 999_999_999), undefined);
      const files = fileHandler(root, { listing: true });
      const ask = async (query: string) => {
        const response = await files(new Request(`http://localhost/${query}`));
        return [response.status, namesOf(await response.text())[0]];
      };
      assertEquals(await ask("?page=2"), [200, "f0999"]);
      assertEquals(await ask("?x=1&page=3"), [200, "f1999"]);
      assertEquals(await ask("?page=4"), [404, undefined]);
      for (const query of ["", "?page=0", "?page=-1", "?page=1e3", "?page=x", "?page=9999999999"]) {
        assertEquals(await ask(query), [200, "z/"], query);
      }
    }),
);

test("a line shows a size and a date that people can read", () =>
  withFolders(async (base) => {
    const root = join(base, "root/a");
    writeFileSync(join(root, "x.bin"), new Uint8Array(1536));
    utimesSync(join(root, "x.bin"), 1709210096, 1709210096);
    const page = (await pageOf(root))!;
    assertEquals(
      /<tr><td>.*x\.bin.*/.exec(page)![0],
      [
        '<tr><td><a href="./x.bin">x.bin</a></td><td align="right">1.5 KiB</td>',
        '<td><time datetime="2024-02-29T12:34:56.000Z">2024-02-29 12:34</time></td></tr>',
      ].join(""),
    );
    const sizes = {
      ...{ 0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 10188: "9.9 KiB", 10189: "10 KiB" },
      ...{ 1048063: "1023 KiB", 1048064: "1.0 MiB", 5368709120: "5.0 GiB" },
    };
    for (const [bytes, text] of Object.entries(sizes)) {
      assertEquals(formatSize(Number(bytes)), text);
    }
    assertEquals(formatSize(2 ** 62), "4096 PiB");
  }));
