import { assertEquals } from "@std/assert";
import { EventEmitter } from "node:events";
import type { Server, Socket } from "node:net";
import { test } from "node:test";
import { openSockets } from "../../src/probe_server/open_sockets.ts";

test("a connection is known while it is open, and no longer", () => {
  const server = new EventEmitter();
  const sockets = openSockets(server as Server);
  const [one, other] = [new EventEmitter() as Socket, new EventEmitter() as Socket];
  server.emit("connection", one);
  server.emit("connection", other);
  assertEquals([...sockets], [one, other]);
  one.emit("close");
  assertEquals([...sockets], [other]);
  other.emit("close");
  assertEquals([...sockets], []);
});
