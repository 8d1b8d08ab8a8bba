import { Buffer } from "node:buffer";
import { reader } from "../sources/reader.ts";
import { type Answerer, type FileAnswer, type FilePart, reasons } from "./file_request.ts";
import { errorTeller, failedAnswer, untilUnchanged } from "./failed_answer.ts";
import { FileRange, type FileRangeOptions, wholeBody } from "./file_range.ts";
import type { Settings } from "./read_settings.ts";

/** What a server knows that a `Request` does not say. */
export interface WebContext extends Pick<FileRangeOptions, "isFree" | "signal" | "onIdle"> {
  /** The request's target as it came; its URL is normalized. */
  readonly target?: string;
  /** Called before an answer's body begins to be read on demand. */
  readonly onBody?: () => void;
  /** Called once for each answer of ours, when it is over, with the bytes of its body. */
  readonly onEnd?: (status: number, sent: number) => void;
}

/** Answers a request by a server of ours. */
export type WebHandler = (request: Request, context?: WebContext) => Promise<Response>;

/** What the Web's handlers have besides what makes their answers. */
export interface WebOptions {
  /** Answers what is nothing of ours, a path without a file or a method other than GET and HEAD. */
  readonly fallthrough?: ((request: Request) => Response | Promise<Response>) | undefined;
  readonly onError?: ((error: unknown, request: Request) => void) | undefined;
}

/** Sends what `answer` finds on Web Streams. */
export function webHandler(
  answer: Answerer,
  settings: Settings,
  { fallthrough, onError }: WebOptions,
): WebHandler {
  const tell = errorTeller(onError);

  async function bodyOf(
    answer: FileAnswer,
    request: Request,
    { isFree, signal, onIdle, onBody, onEnd }: WebContext,
  ): Promise<BodyInit | null> {
    const { status } = answer;
    const whole = await wholeBody(answer, settings);
    if (whole !== undefined) {
      onEnd?.(status, Buffer.byteLength(whole));
      return answer.body === undefined ? null : whole;
    }
    const { file, range } = answer.body as FilePart;
    onBody?.();
    const chunks = new FileRange(file, range, {
      ...settings,
      isFree,
      signal,
      onIdle,
      onError: (error) => tell(error, request),
      onEnd: (sent) => onEnd?.(status, sent),
    });
    return reader(chunks, { highWaterMark: 0 });
  }

  async function respond(request: Request, context: WebContext): Promise<Response | undefined> {
    const { target = request.url } = context;
    const header = (name: string) => request.headers.get(name) ?? undefined;
    // HTTP/2 names the host in the URL alone; in Bun a request without a host has a path for its URL.
    const host = header("host") ?? /^https?:\/\/([^/?#]+)/i.exec(request.url)?.[1];
    const found = await answer({ method: request.method, target, host, header });
    if (found.isAbsent && fallthrough !== undefined) return undefined;
    const { status, headers } = found;
    const body = await bodyOf(found, request, context);
    return new Response(body, { status, statusText: reasons[status], headers });
  }

  return async (request, context = {}) => {
    let response: Response | undefined;
    try {
      response = await untilUnchanged(() => respond(request, context));
    } catch (error) {
      tell(error, request);
      const failed = failedAnswer(error, request.method === "HEAD");
      const { status, headers, body = null } = failed;
      context.onEnd?.(status, Buffer.byteLength(body ?? ""));
      return new Response(body, { status, statusText: reasons[status], headers });
    }
    return response ?? await fallthrough!(request);
  };
}
