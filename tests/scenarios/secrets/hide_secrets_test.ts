import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { addressesIn, hideSecrets } from "../../../scenarios/secrets/hide_secrets.ts";
import { checkAddress, readAddress } from "../../../scenarios/secrets/read_address.ts";
import { startScript } from "../../lib/start_script.ts";
import { oddAddresses, pieces, triedAddresses } from "./_odd_addresses.ts";

/** The lines in which a piece of a password is seen. */
function leaksIn(text: string): string[] {
  return text.split("\n").filter((line) => pieces.some((piece) => line.includes(piece)));
}

test("an address is shown without user, password and parameters", () => {
  for (
    const [address, name] of [
      ["postgres://db/shop", "postgres://db/shop"],
      ["postgres://me:secret@db:5432/shop?sslmode=require", "postgres://***@db:5432/shop"],
      ["postgresql://me@db/shop", "postgresql://***@db/shop"],
      ["postgres://me:p@ss@db/shop", "postgres://***@db/shop"],
      ["postgres://me:se/cret@db/shop", "postgres://***@db/shop"],
      ["postgres://me:s#e?cret@db/shop", "postgres://***@db/shop"],
      ["postgres://%2Ftmp%2Fsocket/shop", "postgres://%2Ftmp%2Fsocket/shop"],
      ["postgres://me:secret@[::1]:5432/shop", "postgres://***@[::1]:5432/shop"],
      ["postgres://me:secret@db:54x2/shop", "postgres://***"],
      ["postgres://db/shop?user=a@b&password=secret", "postgres://***"],
      ["postgres://me:secret", "postgres://***"],
      ["postgress://me:secret@db", "postgress://***@db"],
      ["mongodb://a:b@one:1,two:2/db?authSource=admin", "mongodb://***@one:1,two:2/db"],
      ["mongodb+srv://a:b@cluster.example/db", "mongodb+srv://***@cluster.example/db"],
      [
        "nats://me:secret@one:4222,two:4222/orders/lines",
        "nats://***@one:4222,two:4222/orders/lines",
      ],
      ["me:secret@db/shop", "***@db/shop"],
      ["host=db password=secret", "***"],
      ["sqlite:me@home.db", "sqlite:me@home.db"],
    ] as const
  ) assertEquals(readAddress(address).name, name);
});

test("an address whose password may be taken for a host is refused before anything is connected to", () => {
  const fine = ["sqlite:a@b.db", "postgres://db", "postgres://me:p%2Fss@db/x", "mongodb://a,b:1/"];
  for (const address of fine) checkAddress(address);
  for (
    const address of ["postgres://me:a/b@db", "nats://me:a?b@db", "postgres://me:a#b@db", "db"]
  ) {
    let message = "taken";
    try {
      checkAddress(address);
    } catch (error) {
      message = String(error);
    }
    assert(message.startsWith("RangeError: Cannot read the address "), message);
    assert(!message.includes("me:a"), message);
  }
});

test("secrets are taken out of a driver's words in each of their spellings, and nothing else is", () => {
  const address = "postgres://me:p%40s%22s@db/shop?sslpassword=more";
  for (
    const [text, shown] of [
      [`Invalid URL: '${address}'`, "Invalid URL: 'postgres://***@db/shop'"],
      ['password p@s"s of me', "password *** of me"],
      [JSON.stringify('p@s"s'), '"***"'],
      ["p%40s%22s, more", "***, ***"],
      ["see nats://you:other@host", "see nats://***@host"],
      ["it is postgres://[USER:PASSWORD@]HOST/DB", "it is postgres://[USER:PASSWORD@]HOST/DB"],
      ["redis://[USER:PASSWORD@]h,redis://a:b@c", "redis://[USER:PASSWORD@]h,redis://***@c"],
      ["mongodb://a/b says me@db", "mongodb://a/b says me@db"],
    ] as const
  ) assertEquals(hideSecrets(text, [address]), shown);
  assertEquals(hideSecrets("a short pw: a", ["postgres://me:a@db"]), "*** short pw: ***");
  assertEquals(
    hideSecrets("postgres://x failed for postgres", ["postgres://me:postgres@x"]),
    "postgres://x failed for ***",
  );
  assertEquals(
    hideSecrets("got me:secret@db", addressesIn(["--source=me:secret@db"])),
    "got ***@db",
  );
});

test("no part of a password is in an address's name, and none in its check", () => {
  assert(oddAddresses.length > 200);
  for (const address of oddAddresses) {
    assertEquals(leaksIn(readAddress(address).name), [], address);
    assertEquals(leaksIn(hideSecrets(`Cannot read ${address}`, [address])), [], address);
  }
});

test("no command shows a part of a password, in words or JSON, whatever is wrong with an address", async () => {
  const { code, stdout, stderr } = await startScript(
    "tests/scenarios/secrets/_try_addresses.ts",
    [],
  ).ended;
  assertEquals(code, 0, stderr.slice(-2000));
  const runs = triedAddresses.length * 7;
  assertEquals(stdout.trim().split("\n").at(-1), `failed ${runs} of ${runs}`);
  assertEquals(leaksIn(stdout + stderr), []);
});

test("commands in processes of their own show no password", async () => {
  const address = `postgres://me:${pieces.join("%2F")}@127.0.0.1:1/db`;
  const broker = address.replace("postgres", "nats");
  for (
    const [path, args] of [
      ["scenarios/extract/command.ts", ["--source", address, "--table", "t", "--out", "-"]],
      ["scenarios/consume/command.ts", ["--broker", broker]],
    ] as const
  ) {
    const { code, stdout, stderr } = await startScript(path, args).ended;
    assertEquals(code, 1, path);
    assert(stderr.length > 0, path);
    assertEquals(leaksIn(stdout + stderr), [], path);
  }
});

test("hideSecrets hides in each word from its first scheme to its last @, and leaves the rest", () => {
  const cases = [
    ["x://a:b@c", "x://***@c"],
    ["(x://a@b@c) y://d@e", "(x://***@c) y://***@e"],
    ["://a@b and 5@6 and x://host/path", "://a@b and 5@6 and x://host/path"],
    ["x://***@c", "x://***@c"],
    ['"x://u:p@h"', '"x://***@h"'],
  ] as const;
  for (const [text, hidden] of cases) assertEquals(hideSecrets(text, []), hidden);
  const long = "a".repeat(1_000_000);
  assertEquals(hideSecrets(long, []), long);
  assertEquals(hideSecrets("x://".repeat(200_000), []).length, 800_000);
});
