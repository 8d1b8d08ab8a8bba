import { throwTypeError } from "../errors.ts";
import { type Answerer, plainAnswer } from "./file_request.ts";

// A name or an IPv4 address, or an IPv6 address in brackets; then perhaps a port.
const hostForm = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;

/** Longer than any name and its port. */
const longestHost = 300;

/** A host without its port, in the one spelling that URLs have for it; `undefined` if it cannot be one. */
function hostNameOf(host: string): string | undefined {
  if (host.length > longestHost || !hostForm.test(host)) return undefined;
  try {
    return new URL(`http://${host}`).hostname.replace(/\.$/, "");
  } catch {
    return undefined;
  }
}

/** Hosts in the one spelling that requests are compared in; an IPv6 address may have its brackets. */
export function readHosts(
  action: string,
  option: string,
  hosts: unknown,
): ReadonlySet<string> | undefined {
  if (hosts === undefined) return undefined;
  if (!Array.isArray(hosts)) throwTypeError(action, option, "an array of hosts", hosts);
  return new Set(hosts.map((host) => {
    const text = typeof host === "string" ? host : "";
    const isBareAddress = /^[0-9a-f.]*:[0-9a-f.]*:/i.test(text);
    const hasPort = !isBareAddress && /:\d*$/.test(text) && !text.endsWith("]");
    const name = hasPort ? undefined : hostNameOf(isBareAddress ? `[${text}]` : text);
    return name ?? throwTypeError(action, option, "hosts without a port", host);
  }));
}

/** Why a request with this `Host` is refused: a status and a sentence; `undefined` if it is not. */
export function refusalOf(
  host: string | undefined,
  allowedHosts: ReadonlySet<string> | undefined,
): { readonly status: 400 | 421; readonly text: string } | undefined {
  // A client that names no host is no browser, which alone can be led here by another site's name.
  if (host === undefined) return undefined;
  if (host.length > longestHost || !hostForm.test(host)) {
    return { status: 400, text: "The Host header is malformed.\n" };
  }
  if (allowedHosts === undefined || allowedHosts.has(hostNameOf(host)!)) return undefined;
  return { status: 421, text: "This server does not answer for the host that was asked.\n" };
}

/** Refuses requests whose host is malformed or not among those allowed. */
export function checkHost(
  answer: Answerer,
  allowedHosts: ReadonlySet<string> | undefined,
): Answerer {
  return async (request) => {
    const refusal = refusalOf(request.host, allowedHosts);
    if (refusal === undefined) return await answer(request);
    const { status, text } = refusal;
    return plainAnswer(status, request.method === "HEAD", {}, text);
  };
}
