import { isThorough } from "../../lib/thorough.ts";

/** Pieces of a password, none of which may be seen; long and odd enough to be nothing else. */
export const pieces = ["Zq7vQ", "Xw9kJ", "Vk3hY"] as const;

const [first, second, third] = pieces;

/** What stands in a password, as it is or by its code. */
const odd = [
  ...`/?#@:&=%[]"'\\ ,;+<>^|{}\`$*é漢😀\t\n`,
  ..."$& %zz %2F %40 %3A // :// @127.0.0.1/ :1@".split(" "),
];

// Nothing listens there: who is refused says so at once.
const soon = "serverSelectionTimeoutMS=10";
const place = `127.0.0.1:1/db?${soon}`;

const schemes = ["postgres://", "mongodb://", "nats://", "postgress://", "POSTGRES://", ""];

const withMark = (scheme: string, mark: string) =>
  `${scheme}me:${first}${mark}${second}${mark}${third}@${place}`;

/** Addresses with a password that are wrong in another way than by a mark in it. */
const others: readonly string[] = [
  ...["postgres://", "mongodb://", "nats://"].flatMap((scheme) => [
    ...[
      ":54x2/db",
      ":99999/db",
      ":/db",
      ":-1/db",
      " :1/db",
      ":1:2/db",
      `:1/?${soon}`,
      `:1/db?${soon}#`,
      "\0",
    ]
      .map((end) => `${scheme}me:${pieces.join("")}@127.0.0.1${end}`),
    `${scheme}${pieces.join("")}@${place}`,
    `${scheme}:${pieces.join("")}@${place}`,
    `${scheme}me:${pieces.join("")}@`,
    `${scheme}me:${pieces.join("")}`,
    `${scheme}@me:${pieces.join("")}@${place}`,
    `${scheme}${place}&password=${pieces.join("")}`,
    `${scheme}127.0.0.1:1/db?user=a@b&password=${pieces.join("")}`,
    `${scheme}me:${pieces.join("")}@[::1]:1/db?${soon}`,
    `${scheme}me:${pieces.join("")}@[::1/db`,
  ]),
  `postgres:me:${pieces.join("")}@127.0.0.1:1/db`,
  `postgres:/me:${pieces.join("")}@127.0.0.1:1/db`,
  `postgres:///me:${pieces.join("")}@127.0.0.1:1/db`,
  `mongodb://me:${pieces.join("")}@127.0.0.1:1,127.0.0.1:2/db?${soon}`,
  `host=127.0.0.1 password=${pieces.join("")}`,
  `mongodb://${place}&authMechanismProperties=AWS_SESSION_TOKEN:${pieces.join("")}`,
];

/** Addresses with a password, most of them wrong in one way. */
export const oddAddresses: readonly string[] = [
  ...schemes.flatMap((scheme) => odd.map((mark) => withMark(scheme, mark))),
  ...others,
];

/** Those that commands are given: in the gate, each mark with one of the schemes, and every fourth with a wrong one. */
export const triedAddresses: readonly string[] = isThorough ? oddAddresses : [
  ...odd.map((mark, index) => withMark(schemes[index % 3]!, mark)),
  ...odd.filter((_, index) => index % 4 === 0)
    .map((mark, index) => withMark(schemes[3 + index % 3]!, mark)),
  ...others,
];
