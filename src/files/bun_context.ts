import type { WebContext } from "./web_handler.ts";

/** What `Bun.serve` gives its handlers besides the request. */
export interface BunServer {
  timeout(request: Request, seconds: number): void;
}

/** The longest time without anything sent or received that Bun can be asked for. */
const longestSeconds = 255;

/** What any system takes of an answer at once. */
const fittingBytes = 16 * 1024;

/** Makes Bun leave the time of an open body to the handler's own limit: its ends at 255 s, by default at 10 s. */
export function bunContext(
  server: BunServer,
  request: Request,
): Required<Pick<WebContext, "onBody" | "onIdle" | "onEnd">> {
  let isCut = false;
  return {
    onBody: () => server.timeout(request, 0),
    onIdle() {
      isCut = true;
      server.timeout(request, 1);
    },
    onEnd(_status, sent) {
      // What is left lies in buffers, out of our sight, which may take a slow reader a while.
      if (sent > fittingBytes && !isCut) server.timeout(request, longestSeconds);
    },
  };
}
