import { request } from "node:http";
import type { Buffer } from "node:buffer";

/** What a server is asked. */
export interface Question {
  readonly target: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What it answered; `undefined` if it did not within two seconds, or broke the connection. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** Asks one question over a connection of its own. */
export function ask(port: number, question: Question): Promise<Answer | undefined> {
  const { target, method = "GET", headers = {} } = question;
  return new Promise((resolve) => {
    const call = request({ port, host: "127.0.0.1", path: target, method, headers, agent: false });
    const fail = () => {
      call.destroy();
      resolve(undefined);
    };
    const timer = setTimeout(fail, 2000);
    call.once("error", fail);
    call.once("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("error", fail);
      response.once("end", () => {
        clearTimeout(timer);
        const text = parts.map((part) => part.toString("latin1")).join("");
        const single = Object.entries(response.headers).map(([name, value]) => [name, `${value}`]);
        resolve({
          status: response.statusCode!,
          headers: Object.fromEntries(single),
          body: text,
        });
      });
    });
    call.end();
  });
}
