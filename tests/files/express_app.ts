import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
// It brings no types, and what we use of it is little.
import express from "express";

type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
) => unknown;

/** What we use of an Express application. */
export interface ExpressApp extends RequestListener {
  get(path: string, ...handlers: Middleware[]): void;
  use(handler: Middleware): void;
  use(path: string, handler: Middleware): void;
}

/** Makes an Express application. */
export function expressApp(): ExpressApp {
  return express() as ExpressApp;
}
