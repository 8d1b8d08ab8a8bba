import type { IncomingMessage, ServerResponse } from "node:http";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type Answerer, type FileAnswer, plainAnswer } from "../../src/files/file_request.ts";
import { nodeHandler } from "../../src/files/node/node_handler.ts";
import { FileChangedError } from "../../src/files/served_file.ts";
import { webHandler } from "../../src/files/web_handler.ts";

const settings = { mode: "stream", chunkSize: 1000, idleTimeoutMs: 1000 } as never;

/** What a client gets, and what else was said of it. */
interface Seen {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ended: unknown[];
  readonly errors: unknown[];
}

/** What hears what is said of an answer besides. */
function listener(act: () => void = () => {}) {
  const ended: unknown[] = [];
  const errors: unknown[] = [];
  return {
    ended,
    errors,
    onError(error: unknown) {
      errors.push(error);
      act();
    },
    onEnd: (...counts: unknown[]) => void ended.push(counts.slice(-2)),
  };
}

/** Asks a handler of `Request`s. */
async function askWeb(answer: Answerer, method: string, act?: () => void): Promise<Seen> {
  const { ended, errors, onError, onEnd } = listener(act);
  const handler = webHandler(answer, settings, { onError });
  const response = await handler(new Request("http://localhost/", { method }), { onEnd });
  return {
    ...{ status: response.status, reason: response.statusText, ended, errors },
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

/** Asks a handler of `node:http`. */
async function askNode(answer: Answerer, method: string, act?: () => void): Promise<Seen> {
  const { ended, errors, onError, onEnd } = listener(act);
  const handler = nodeHandler(answer, settings, { onError, onEnd });
  const seen = { status: 0, reason: "", headers: {}, body: "" };
  const response = {
    headersSent: false,
    writeHead(status: number, reason: string, headers: Record<string, string>) {
      Object.assign(seen, { status, reason, headers });
    },
    end: (body = "") => void (seen.body = String(body)),
  };
  const request = { method, url: "/", rawHeaders: [] };
  await handler(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  return { ...seen, ended, errors };
}

const asks = { web: askWeb, node: askNode };

for (const [name, ask] of Object.entries(asks)) {
  test(`${name}: each status has its reason in words, and a body that is counted`, async () => {
    const reasons = {
      ...{ 200: "OK", 206: "Partial Content", 301: "Moved Permanently", 404: "Not Found" },
      ...{ 405: "Method Not Allowed", 412: "Precondition Failed", 416: "Range Not Satisfiable" },
      ...{ 500: "Internal Server Error", 503: "Service Unavailable" },
    };
    for (const [key, reason] of Object.entries(reasons)) {
      const status = Number(key);
      for (const method of ["GET", "HEAD"]) {
        const isHead = method === "HEAD";
        const answer = () => Promise.resolve(plainAnswer(status, isHead) as FileAnswer);
        const length = reason.length + 1;
        assertEquals(await ask(answer, method), {
          ...{ status, reason, errors: [], ended: [[status, isHead ? 0 : length]] },
          headers: {
            "content-type": "text/plain; charset=utf-8",
            "content-length": String(length),
            "x-content-type-options": "nosniff",
          },
          body: isHead ? "" : `${reason}\n`,
        });
      }
    }
    const none = () => Promise.resolve({ status: 304, headers: {} } as FileAnswer);
    const { reason, ended } = await ask(none, "GET");
    assertEquals([reason, ended], ["Not Modified", [[304, 0]]]);
  });

  test(`${name}: what fails is told of, and the client learns only whether it may try again`, async () => {
    const failures: [error: unknown, status: number, body: string, retry: string | undefined][] = [
      [new Error("secret"), 500, "Internal Server Error\n", undefined],
      [undefined, 500, "Internal Server Error\n", undefined],
      [Object.assign(new Error("secret"), { code: "EMFILE" }), 503, "Service Unavailable\n", "1"],
      [Object.assign(new Error("secret"), { code: "ENFILE" }), 503, "Service Unavailable\n", "1"],
      [
        Object.assign(new Error("secret"), { code: "EIO" }),
        500,
        "Internal Server Error\n",
        undefined,
      ],
    ];
    for (const [error, status, body, retry] of failures) {
      for (const method of ["GET", "HEAD"]) {
        let tries = 0;
        const seen = await ask(() => {
          tries++;
          return Promise.reject(error);
        }, method);
        const sent = method === "HEAD" ? "" : body;
        assertEquals([tries, seen.status, seen.body, seen.errors, seen.ended], [
          ...[1, status, sent, [error]],
          [[status, sent.length]],
        ]);
        assertEquals(seen.headers["retry-after"], retry);
        assertEquals(seen.headers["content-length"], String(body.length));
      }
    }
  });

  test(`${name}: while a file changes its answer is made anew, five times at most`, async () => {
    for (let changes = 0; changes <= 6; changes++) {
      let tries = 0;
      const seen = await ask(() => {
        if (++tries <= changes) return Promise.reject(new FileChangedError("it was overwritten"));
        return Promise.resolve(plainAnswer(200, false, {}, "at last") as FileAnswer);
      }, "GET");
      const isGiven = changes < 5;
      assertEquals([tries, seen.status, seen.errors.length], [
        ...[Math.min(5, changes + 1), isGiven ? 200 : 500],
        isGiven ? 0 : 1,
      ]);
      assertEquals(seen.body, isGiven ? "at last" : "Internal Server Error\n");
    }
  });

  test(`${name}: an onError that throws ends no answer, and is reported`, async () => {
    const { error: real } = console;
    const reported: unknown[] = [];
    console.error = (...all: unknown[]) => void reported.push(...all);
    try {
      const failure = new Error("of onError");
      const seen = await ask(() => Promise.reject(new Error("why")), "GET", () => {
        throw failure;
      });
      assertEquals([seen.status, reported], [500, [failure]]);
    } finally {
      console.error = real;
    }
  });
}

test("without onError what fails is written to the console", async () => {
  const { error: real } = console;
  const reported: unknown[] = [];
  console.error = (...all: unknown[]) => void reported.push(...all);
  try {
    const failure = new Error("why");
    const response = await webHandler(() => Promise.reject(failure), settings, {})(
      new Request("http://localhost/"),
    );
    assertEquals([response.status, reported], [500, [failure]]);
  } finally {
    console.error = real;
  }
});
