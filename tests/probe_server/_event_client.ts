import { connect, type Socket } from "node:net";
import type { Snapshot } from "../../src/probe_server/shown.ts";

/** What the page's events say. */
export interface Heard {
  readonly skipped: number;
  readonly state: Snapshot;
}

/** Sends bytes to a server as they are, and gives the connection. */
export async function sendRaw(url: string, request: string): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(request);
  return socket;
}

/** Sends bytes to a server, and gives all that it answers until it closes. */
export async function askRaw(url: string, request: string): Promise<string> {
  const socket = await sendRaw(url, request);
  let text = "";
  socket.on("data", (bytes) => text += bytes);
  await new Promise((resolve) => socket.on("close", resolve));
  return text;
}

/** A page's connection to `/events`, which reads when it is asked. */
export class EventClient {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";
  /** Everything that has come. */
  all = "";

  constructor(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  static async open(url: string): Promise<EventClient> {
    const response = await fetch(new URL("events", url));
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
    return new EventClient(response.body!);
  }

  /** The next event as it was sent; `undefined` at the end. */
  async next(): Promise<string | undefined> {
    let end: number;
    let from = 0;
    while ((end = this.#text.indexOf("\n\n", from)) === -1) {
      from = Math.max(0, this.#text.length - 1);
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
      this.all += value;
    }
    const event = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 2);
    return event;
  }

  /** The next state. */
  async state(): Promise<Heard> {
    const event = await this.next();
    if (event === undefined || !event.startsWith("data: ")) throw new Error(`got ${event}`);
    return JSON.parse(event.slice("data: ".length));
  }

  /** The first state that is as wanted. */
  async until(isWanted: (heard: Heard) => boolean): Promise<Heard> {
    for (;;) {
      const heard = await this.state();
      if (isWanted(heard)) return heard;
    }
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }
}
