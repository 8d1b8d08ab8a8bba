import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { inAddress, isOwnHost } from "../../src/probe_server/is_own_host.ts";

const cases: readonly [host: string, port: number, own: string[], other: (string | undefined)[]][] =
  [
    ["127.0.0.1", 80, ["127.0.0.1", "localhost", "127.0.0.1:80"], ["127.0.0.1:81", undefined, ""]],
    ["undefined", 80, ["undefined"], [undefined]],
    ["::1", 8080, ["[::1]:8080", "localhost:8080"], ["::1:8080", "[::1]", "[::2]:8080"]],
    ["localhost", 99, ["localhost:99", "127.0.0.1:99", "[::1]:99"], [
      "evil.example:99",
      "10.0.0.1:99",
    ]],
    ["box.lan", 99, ["box.lan:99", "BOX.LAN:99"], ["localhost:99", "127.0.0.1:99", "other.lan:99"]],
    ["10.0.0.7", 99, ["10.0.0.7:99"], ["localhost:99", "127.0.0.1:99", "10.0.0.8:99", "10.0.0.7"]],
    [
      "0.0.0.0",
      99,
      ["10.0.0.7:99", "localhost:99", "[fe80::1]:99"],
      ["evil.example:99", "10.0.0.7.evil.example:99", "1.2.3:99", "[zz]:99", "10.0.0.7:98"],
    ],
    ["::", 99, ["10.0.0.7:99", "[::1]:99"], ["evil.example:99", "[::1", "[evil.example]:99"]],
  ];

test("a Host is the server's own by name and port, and never by another's name", () => {
  for (const [host, port, own, other] of cases) {
    for (const header of own) {
      assertEquals(isOwnHost(header, host, port), true, `${host} ${header}`);
    }
    for (const header of other) {
      assertEquals(isOwnHost(header, host, port), false, `${host} ${header}`);
    }
  }
});

test("a host stands in an address as it is, one of IPv6 in brackets", () => {
  assertEquals(["::1", "127.0.0.1", "localhost"].map(inAddress), [
    "[::1]",
    "127.0.0.1",
    "localhost",
  ]);
});
