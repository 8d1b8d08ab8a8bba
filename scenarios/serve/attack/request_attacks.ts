import { bigSize, secret } from "./attack_site.ts";
import { answeredOrLost, type Attack, type Attacked, held, lost } from "./attack.ts";
import { type HostileRequest, hostileRequests } from "./hostile_requests.ts";
import { forAll, get, statusOf, talk } from "./talk.ts";

/** Sends many requests of a kind; none may be answered with a secret, or not at all. */
export function hostile(kind: HostileRequest["kind"], name: string): Attack {
  const requests = hostileRequests().filter((one) => one.kind === kind);
  return {
    name: `${requests.length.toLocaleString("en")} requests: ${name}`,
    async run(attacked) {
      let [escapes, hangs, example] = [0, 0, ""];
      await forAll(requests, 24, async ({ text }) => {
        if (hangs > 20) return;
        const answer = await talk(attacked, text);
        const isEscape = answer.text.includes(secret) || /root:[^:]*:0:0:/.test(answer.text);
        if (isEscape) escapes++;
        // Without a Connection of the client's own, a server may keep it open after an answer.
        else if (!answer.isClosed && answer.text === "") hangs++;
        else return;
        example ||= JSON.stringify(text.split("\r\n")[0]).slice(0, 60);
      });
      if (escapes + hangs > 0) return lost(`${escapes} escapes, ${hangs} hang, as ${example}`);
      return await answeredOrLost(attacked);
    },
  };
}

/** The same request with a harmless header and a hostile one, in the least time of several. */
async function leastMs(attacked: Attacked, headers: string): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    least = Math.min(
      least,
      (await talk(attacked, get(attacked, attacked.small, headers))).elapsedMs,
    );
  }
  return least;
}

/** One of {@linkcode attacks}. */
export const slowHeaders: Attack = {
  name: "headers of 15 KB that take long to read",
  async run(attacked) {
    const plain = await leastMs(attacked, "");
    const blanks = " ".repeat(15_000);
    const hostileHeaders = [
      ...["If-None-Match", "If-Match", "If-Range"].map((name) => `${name}: "a",${blanks}x`),
      `Range: bytes=${blanks}0-1${" ".repeat(10)}x`,
      `Accept-Encoding: gzip${";".repeat(15_000)}`,
      `If-Modified-Since: Thu,${blanks}x`,
    ];
    let worst = 0;
    for (const header of hostileHeaders) {
      const isRange = header.startsWith("If-Range") ? "Range: bytes=0-1\r\n" : "";
      worst = Math.max(worst, await leastMs(attacked, `${header}\r\n${isRange}`));
    }
    const text = `${worst.toFixed(0)} ms, ${plain.toFixed(0)} without`;
    return worst > 50 && worst > 10 * plain ? lost(text) : held(text);
  },
};

/** One of {@linkcode attacks}. */
export const manyRanges: Attack = {
  name: "a range that is asked for 1,000 times",
  async run(attacked) {
    const ranges = `Range: bytes=${"0-,".repeat(1000)}0-1\r\n`;
    const { text } = await talk(attacked, get(attacked, attacked.big, ranges), 20_000);
    const bodyBytes = text.length - text.indexOf("\r\n\r\n") - 4;
    return bodyBytes > 2 * bigSize
      ? lost(`a body of ${bodyBytes} bytes`)
      : await answeredOrLost(attacked);
  },
};

/** One of {@linkcode attacks}. */
export const foreignHost: Attack = {
  name: "another site's name as Host",
  async run(attacked) {
    const text = get(attacked, attacked.small).replace(/Host: .*/, "Host: evil.example");
    const status = statusOf(await talk(attacked, text));
    return status === 200 ? lost("answered") : status === 0 ? lost("no answer") : held(`${status}`);
  },
};
