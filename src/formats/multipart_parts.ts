import { abandonAll, type SourceReader } from "../sources/source_reader.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import type { MultipartPart } from "./multipart_part.ts";
import type { MultipartReader } from "./multipart_reader.ts";

type Part = MultipartPart;
type BodyController = ReadableStreamDefaultController<Uint8Array>;

/** The body of the part that is read. */
interface OpenBody {
  readonly controller: BodyController;
  isCancelled: boolean;
}

/** The underlying source of parts: each is read to its end, or skipped, before the next. */
export class MultipartParts implements UnderlyingDefaultSource<Part> {
  readonly #source: SourceReader<Uint8Array>;
  readonly #reader: MultipartReader;
  readonly #skipsUnread: boolean;
  #isAtStart = true;
  #body: OpenBody | undefined;
  /** What is being read for a body. */
  #reading: Promise<void> = Promise.resolve();
  #failure: { readonly reason: unknown } | undefined;

  constructor(source: SourceReader<Uint8Array>, reader: MultipartReader, skipsUnread: boolean) {
    this.#source = source;
    this.#reader = reader;
    this.#skipsUnread = skipsUnread;
  }

  async pull(controller: ReadableStreamDefaultController<Part>): Promise<void> {
    try {
      if (this.#isAtStart) {
        this.#isAtStart = false;
        await this.#reader.skipPreamble();
      } else await this.#finishBody();
      const head = await this.#reader.readHeaders();
      if (this.#failure !== undefined) return;
      if (head === undefined) controller.close();
      else controller.enqueue({ ...head, body: this.#openBody() });
    } catch (reason) {
      this.#fail(reason);
      throw this.#failure!.reason;
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.#failure ??= { reason };
    this.#body?.controller.error(reason);
    this.#body = undefined;
    return this.#source.cancel(reason);
  }

  #openBody(): ReadableStream<Uint8Array> {
    let body: OpenBody;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = body = { controller, isCancelled: false };
      },
      pull: () => this.#reading = this.#readBody(body),
      cancel() {
        body.isCancelled = true;
      },
    }, { highWaterMark: 0 });
  }

  async #readBody(body: OpenBody): Promise<void> {
    try {
      const bytes = await this.#reader.readBody();
      // It may have been cancelled, or skipped, meanwhile.
      if (bytes === undefined) this.#body = undefined;
      if (body.isCancelled || this.#failure !== undefined) return;
      if (bytes === undefined) body.controller.close();
      else body.controller.enqueue(bytes);
    } catch (reason) {
      this.#fail(reason);
    }
  }

  /** Lets the next part come: what was not read of the last is skipped, or refused. */
  async #finishBody(): Promise<void> {
    // A read that was asked for meanwhile comes first.
    let reading;
    do await (reading = this.#reading); while (reading !== this.#reading);
    if (this.#failure !== undefined) throw this.#failure.reason;
    const body = this.#body;
    if (body === undefined) return;
    if (!body.isCancelled) {
      const reason = new TypeError(
        "Cannot read a part: the next one was asked for before its body had been read",
      );
      if (!this.#skipsUnread) throw reason;
      body.isCancelled = true;
      body.controller.error(reason);
    }
    while (this.#body !== undefined) {
      if (await this.#reader.readBody() === undefined) this.#body = undefined;
    }
  }

  /** Fails the part that is read, and all that follow. */
  #fail(reason: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { reason };
    const body = this.#body;
    this.#body = undefined;
    if (body !== undefined && !body.isCancelled) body.controller.error(reason);
    abandonAll([this.#source], reason);
  }
}
