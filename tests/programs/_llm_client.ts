/** A question, and how many tokens it counts for. */
export interface Prompt {
  readonly id: number;
  readonly text: string;
  readonly tokens: number;
}

/** What came of a question. */
export interface Answer {
  readonly id: number;
  readonly text?: string;
  readonly failure?: string;
}

/** What the program is given. */
export interface LlmClientParts {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly tokensPerSecond: number;
  readonly burst: number;
  readonly concurrency: number;
  readonly onAnswer: (answer: Answer) => void | Promise<void>;
  readonly signal?: AbortSignal;
}

/** The program; it gives how many questions were asked again. */
export type LlmClient = (
  prompts: Iterable<Prompt> | AsyncIterable<Prompt>,
  parts: LlmClientParts,
) => Promise<number>;

/** An answer of the service that is not what was asked for. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the service answered ${status}`);
    this.status = status;
  }
}

/** Whether to ask again: not for what is wrong with the question. */
export function isTemporary(reason: unknown): boolean {
  return !(reason instanceof HttpError) || reason.status === 429 || reason.status >= 500;
}

/** The request of a question. */
export function requestOf({ text }: Prompt, signal: AbortSignal): RequestInit {
  return { method: "POST", body: JSON.stringify({ prompt: text, stream: true }), signal };
}

/** The address of the service. */
export const url = "https://llm.example/v1/complete";
