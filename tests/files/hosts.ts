import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Hono } from "hono";
import { serve as serveWithSrvx } from "srvx/node";
import { fileHandler as nodeFileHandler } from "@hosepipe/streams/node";
import { fileHandler, type FileHandlerOptions } from "@hosepipe/streams/files";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import express from "express";
import { type Served, serveNode } from "../lib/serve_node.ts";

// It brings no types, and what we use of it is little.

type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
) => unknown;

/** What we use of an Express application. */
interface ExpressApp extends RequestListener {
  get(path: string, ...handlers: Middleware[]): void;
  use(handler: Middleware): void;
  use(path: string, handler: Middleware): void;
}

/** Makes an Express application. */
export function expressApp(): ExpressApp {
  return express() as ExpressApp;
}

/** The options that handlers of both kinds take. */
export type SharedOptions = Omit<FileHandlerOptions, "fallthrough" | "onError">;

/** A server that somebody else has written, and that uses the handler as its users would. */
export interface Host {
  readonly name: string;
  /** Whether it shows only a normalized URL, in which an inner `..` has been resolved. */
  readonly normalizes: boolean;
  /** Whether it is made of the runtime's own server, or of srvx. */
  readonly isWeb: boolean;
  /** @param isLast Whether nobody else answers where the handler has nothing. */
  start(root: string, options: SharedOptions, isLast?: boolean): Promise<Served>;
}

/** What the next handler says where the file handler has nothing. */
export const fallenThrough = "fallen through\n";

interface BunGlobal {
  serve(options: { hostname: string; port: number; fetch: (request: Request) => unknown }): {
    readonly port: number;
    stop(closeActiveConnections: boolean): Promise<void>;
  };
}

const runtime = currentRuntime().name;

/** Serves a handler of `Request` as the current runtime does. */
async function serveWeb(
  fetch: (request: Request) => Response | Promise<Response>,
): Promise<Served> {
  if (runtime === "deno") {
    const abort = new AbortController();
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {}, signal: abort.signal },
      fetch,
    );
    return {
      port: server.addr.port,
      [Symbol.asyncDispose]() {
        abort.abort();
        return server.finished;
      },
    };
  }
  if (runtime === "bun") {
    const { Bun } = globalThis as unknown as { Bun: BunGlobal };
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
    return { port: server.port, [Symbol.asyncDispose]: () => server.stop(true) };
  }
  const server = serveWithSrvx({ hostname: "127.0.0.1", port: 0, silent: true, fetch });
  await server.ready();
  return {
    port: Number(new URL(server.url!).port),
    [Symbol.asyncDispose]: () => server.close(true),
  };
}

const fallthrough = () => new Response(fallenThrough, { status: 404 });

/** Every server that the current runtime can run the handlers in. */
export const hosts: readonly Host[] = [
  {
    name: { deno: "Deno.serve", bun: "Bun.serve", node: "srvx" }[runtime],
    normalizes: runtime !== "deno",
    isWeb: true,
    start: (root, options) => serveWeb(fileHandler(root, options)),
  },
  {
    name: "Hono",
    normalizes: runtime !== "deno",
    isWeb: true,
    start(root, options, isLast) {
      const files = fileHandler(root, isLast ? options : { ...options, fallthrough });
      const app = new Hono();
      app.all("*", (context) => files(context.req.raw));
      return serveWeb((request) => app.fetch(request));
    },
  },
  {
    name: "node:http",
    normalizes: false,
    isWeb: false,
    start: (root, options) => serveNode(nodeFileHandler(root, options)),
  },
  {
    name: "Express",
    normalizes: false,
    isWeb: false,
    start(root, options, isLast = false) {
      const app = expressApp();
      app.use(nodeFileHandler(root, { ...options, fallthrough: !isLast }));
      app.use((_request, response) => response.writeHead(404).end(fallenThrough));
      return serveNode(app);
    },
  },
];
