import type { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

/** A client that keeps its connection from one request to the next. */
export class KeptConnection {
  readonly #socket: Socket;
  #received = "";
  #look: () => void = () => {};
  isClosed = false;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (part: Buffer) => {
      this.#received += part.toString("latin1");
      this.#look();
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.isClosed = true;
      this.#look();
    });
  }

  /** Asks for `hello.txt`; tells whether it came, over the same connection. */
  async ask(): Promise<boolean> {
    this.#received = "";
    this.#socket.write("GET /hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await new Promise<void>((resolve) => {
      this.#look = () => {
        if (this.isClosed || this.#received.endsWith("hello world\n")) resolve();
      };
      this.#look();
    });
    return !this.isClosed;
  }

  close(): void {
    this.#socket.destroy();
  }
}
