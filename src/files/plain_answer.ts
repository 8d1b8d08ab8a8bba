import { Buffer } from "node:buffer";

/** The reason phrases, which srvx leaves empty unless it is given them. */
export const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  206: "Partial Content",
  301: "Moved Permanently",
  304: "Not Modified",
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  412: "Precondition Failed",
  416: "Range Not Satisfiable",
  421: "Misdirected Request",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** An answer of a text of ours; by default its reason in words, which is all that clients learn. */
export function plainAnswer(
  status: number,
  isHead: boolean,
  headers: Readonly<Record<string, string>> = {},
  text = `${reasons[status]}\n`,
): { status: number; headers: Record<string, string>; body?: string } {
  return {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      ...headers,
      "content-length": String(Buffer.byteLength(text)),
      "x-content-type-options": "nosniff",
    },
    ...(isHead ? {} : { body: text }),
  };
}
