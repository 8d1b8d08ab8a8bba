import { open } from "node:fs/promises";
import type { Socket } from "node:net";
import {
  answeredOrLost,
  type Attack,
  bigSize,
  costs,
  forAll,
  get,
  held,
  hold,
  isAnswered,
  lost,
  mostMiB,
  type Place,
  rssMiB,
  sleep,
  type Verdict,
} from "./attack.ts";

const destroy = (sockets: readonly (Socket | undefined)[]) =>
  sockets.forEach((socket) => socket?.destroy());

/** One of {@linkcode attacks}. */
export const pipelined: Attack = {
  name: "1,000 requests for a large file on one connection, nothing read",
  async run(attacked) {
    await isAnswered(attacked);
    const before = await rssMiB(attacked);
    const request = get(attacked, attacked.big).replace("Connection: close\r\n", "");
    const socket = await hold(attacked, request.repeat(1000));
    await sleep(1500);
    const verdict = await costs(attacked, before, mostMiB);
    socket?.destroy();
    return verdict;
  },
};

/** One of {@linkcode attacks}. */
export const slowReaders: Attack = {
  name: "200 clients that read nothing of a large file",
  async run(attacked) {
    await isAnswered(attacked);
    const before = await rssMiB(attacked);
    const request = get(attacked, attacked.big);
    const sockets = await Promise.all(Array.from({ length: 200 }, () => hold(attacked, request)));
    await sleep(1500);
    const verdict = await costs(attacked, before, 200 * 1.5);
    destroy(sockets);
    return verdict;
  },
};

/** One of {@linkcode attacks}. */
export const manyReaders: Attack = {
  name: "900 clients that read nothing of a large file: others are answered within 1 s",
  async run(attacked) {
    await isAnswered(attacked);
    const request = get(attacked, attacked.big);
    const sockets = await Promise.all(Array.from({ length: 900 }, () => hold(attacked, request)));
    // Buffers of the system take 2 GB first, and Bun closes connections by a clock that ticks every 4 s.
    await sleep(10_000);
    let verdict: Verdict;
    for (let tries = 0; tries < 5; tries++) {
      verdict = await answeredOrLost(attacked, 1000);
      if (verdict!.isLost) break;
    }
    destroy(sockets);
    return verdict;
  },
};

/** One of {@linkcode attacks}. */
export const resets: Attack = {
  name: "600 connections that are reset at once",
  async run(attacked) {
    const keep = get(attacked, attacked.small).replace("close", "keep-alive");
    const others = await Promise.all(Array.from({ length: 10 }, () => hold(attacked, keep)));
    let closed = 0;
    for (const other of others) {
      other?.resume();
      other?.once("close", () => closed++);
    }
    await forAll(Array.from({ length: 600 }), 20, async () => {
      const socket = await hold(attacked, "");
      socket?.resetAndDestroy();
    });
    const verdict = await answeredOrLost(attacked);
    destroy(others);
    return closed > 0 && !verdict!.isLost ? lost(`${closed} of 10 others closed`) : verdict;
  },
};

/** One of {@linkcode attacks}. */
export const outOfFiles: Attack = {
  name: "more idle connections than files, then an honest client",
  async run(attacked) {
    if (attacked.processId === undefined) return undefined;
    const sockets = await Promise.all(Array.from({ length: 1300 }, () => hold(attacked, "")));
    await sleep(2000);
    destroy(sockets);
    await sleep(500);
    for (let tries = 0; tries < 5; tries++) {
      if (await isAnswered(attacked, 2000) !== undefined) return held("answers again");
    }
    return lost("no answer in 10 s after they left");
  },
};

/** One of {@linkcode attacks}. */
export const overwritten: Attack = {
  name: "a file that is overwritten while it is sent",
  async run(attacked) {
    if (attacked.bigPath === undefined) return undefined;
    const socket = await hold(attacked, get(attacked, attacked.big));
    if (socket === undefined) return lost("refused");
    await sleep(700);
    const file = await open(attacked.bigPath, "r+");
    for (let at = 0; at < bigSize; at += 2 ** 20) {
      await file.write(new Uint8Array(2 ** 20).fill(98), 0, 2 ** 20, at);
    }
    await file.close();
    const counts = { a: 0, b: 0 };
    let headBytes = -1;
    const done = new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
      setTimeout(() => socket.destroy(), 10_000).unref();
    });
    socket.on("data", (part: Uint8Array) => {
      let body = part;
      if (headBytes === -1) {
        headBytes = new TextDecoder("latin1").decode(part).indexOf("\r\n\r\n") + 4;
        body = part.subarray(headBytes);
      }
      // The two contents, by their bytes; sizes of chunks are neither.
      for (const byte of body) {
        if (byte === 97) counts.a++;
        else if (byte === 98) counts.b++;
      }
    });
    socket.resume();
    await done;
    const isMixed = counts.a > 100 && counts.b > 100 && counts.a + counts.b >= bigSize;
    return isMixed ? lost("a mixture, as if whole") : held("cut, or one of the two");
  },
};

/** Requests that never end, as many of each as there are. */
const endless = (place: Place): readonly string[] => {
  const head = `HTTP/1.1\r\nHost: ${place.host}\r\n`;
  return [
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "GET / HT",
    `GET / ${head}X: `,
    `GET /hello.txt ${head}Content-Length: 100000\r\n\r\n`,
    `POST /hello.txt ${head}Content-Length: 100000\r\n\r\n`,
    "",
  ];
};

/** One of {@linkcode attacks}. */
export const never: Attack = {
  name: "requests that never end: cut within 45 s",
  async run(attacked) {
    const texts = endless(attacked);
    let open = 0;
    const sockets = await Promise.all(texts.map(async (text) => {
      const socket = await hold(attacked, text);
      if (socket === undefined) return undefined;
      open++;
      socket.resume();
      socket.once("close", () => open--);
      return socket;
    }));
    for (let waitedMs = 0; open > 0 && waitedMs < 45_000; waitedMs += 250) await sleep(250);
    const left = open;
    destroy(sockets);
    return left > 0 ? lost(`${left} of ${texts.length} are open`) : await answeredOrLost(attacked);
  },
};
