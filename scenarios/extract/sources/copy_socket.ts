import { Buffer } from "node:buffer";
import { Socket } from "node:net";

/** What takes the rows of a COPY. */
export interface CopySink {
  /** Takes the row that begins at `from` and ends before `to`. */
  add(bytes: Buffer, from: number, to: number): void;
  /** Called when all rows that came together were taken. */
  onRows(): void;
  /** Called with how many rows the server says it has sent. */
  onCount(rows: number): void;
}

/** A letter and the length of what follows it. */
const headBytes = 5;
const kinds = { copyData: 100, commandComplete: 67, error: 69 };
/** What a server answers that is asked for encryption, in one byte. */
const [isEncrypted, isPlain] = [83, 78];

/**
 * A connection with PostgreSQL whose driver sees all of it but the rows of a COPY, of which it would make an object and
 * an event each. Nothing is known of an encrypted one: there the driver gives them.
 */
export class CopySocket extends Socket {
  #sink: CopySink | undefined;
  /** Whether messages can be read; `undefined`: nothing came yet. */
  #isOpen: boolean | undefined;
  /** What has come of a message that is not whole, and how much of it is to come once its head is here. */
  #held: Buffer[] = [];
  #missing = 0;

  /** Whether the rows of a COPY can be had here. */
  get canCopy(): boolean {
    return this.#isOpen === true;
  }

  /** Gives the rows of the COPY that is sent next to `sink`; the driver sees none of them. */
  startCopy(sink: CopySink): void {
    this.#sink = sink;
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== "data" || this.#isOpen === false) {
      return super.emit(event as "data", ...args as [Buffer]);
    }
    const bytes = args[0] as Buffer;
    if (this.#isOpen === undefined && bytes.length === 1) {
      if (bytes[0] === isEncrypted) this.#isOpen = false;
      if (bytes[0] === isEncrypted || bytes[0] === isPlain) return super.emit("data", bytes);
    }
    this.#isOpen = true;
    this.#take(bytes);
    return true;
  }

  #take(bytes: Buffer): void {
    let some = bytes;
    if (this.#held.length > 0) {
      if (this.#missing > some.length) {
        this.#held.push(some);
        this.#missing -= some.length;
        return;
      }
      // One whose head was not whole either goes on with all that has come.
      const more = this.#missing > 0 ? this.#missing : some.length;
      const message = Buffer.concat([...this.#held, some.subarray(0, more)]);
      this.#held = [];
      this.#missing = 0;
      some = some.subarray(more);
      this.#read(message);
    }
    if (some.length > 0) this.#read(some);
  }

  #read(bytes: Buffer): void {
    let at = 0;
    let passedTo = 0;
    let rows = 0;
    const pass = () => {
      if (at > passedTo) super.emit("data", bytes.subarray(passedTo, at));
    };
    while (bytes.length - at >= headBytes) {
      const length = bytes.readUInt32BE(at + 1) + 1;
      const end = at + length;
      if (end > bytes.length) {
        this.#missing = end - bytes.length;
        break;
      }
      const kind = bytes[at];
      if (kind === kinds.copyData && this.#sink !== undefined) {
        pass();
        this.#sink.add(bytes, at + headBytes, end);
        rows++;
        passedTo = end;
      } else if (kind === kinds.commandComplete || kind === kinds.error) {
        const said = /^COPY (\d+)/.exec(bytes.toString("latin1", at + headBytes, end));
        if (said !== null) this.#sink?.onCount(Number(said[1]));
        this.#sink = undefined;
      }
      at = end;
    }
    if (rows > 0) this.#sink?.onRows();
    pass();
    if (at < bytes.length) this.#held.push(bytes.subarray(at));
  }
}
