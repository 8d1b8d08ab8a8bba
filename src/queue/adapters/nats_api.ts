import type { NatsClient, NatsConnection } from "./nats_client.ts";

const timeoutMs = 5_000;

/** What the broker refuses, with the number that says why. */
export class NatsApiError extends Error {
  override name = "NatsApiError";
  readonly code: number;

  constructor(description: string, code: number) {
    super(description);
    this.code = code;
  }
}

/** Asks JetStream, such as `STREAM.INFO.orders`; rejects with what it refuses. */
export async function natsApi<R>(
  client: NatsClient,
  connection: NatsConnection,
  name: string,
  request?: unknown,
): Promise<R> {
  const body = request === undefined ? "" : JSON.stringify(request);
  const answer = await connection.request(`${client.apiPrefix}.${name}`, body, {
    timeout: timeoutMs,
  });
  const { error, ...rest } = JSON.parse(new TextDecoder().decode(answer.data));
  if (error !== undefined) {
    throw new NatsApiError(`JetStream answers to ${name}: ${error.description}`, error.err_code);
  }
  return rest as R;
}
