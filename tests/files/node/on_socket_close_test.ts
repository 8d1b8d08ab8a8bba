import { assertEquals } from "@std/assert";
import { Socket } from "node:net";
import { test } from "node:test";
import { onSocketClose } from "../../../src/files/node/node_handler.ts";

test("any number wait for a socket to close by one listener, and none stays", () => {
  const socket = new Socket();
  const before = socket.listenerCount("close");
  for (let round = 0; round < 2; round++) {
    const called: number[] = [];
    const stops = Array.from(
      { length: 20 },
      (_, index) => onSocketClose(socket, () => void called.push(index)),
    );
    assertEquals(socket.listenerCount("close"), before + 1);
    stops[3]!();
    stops[3]!();
    socket.emit("close");
    assertEquals(called, stops.map((_, index) => index).filter((index) => index !== 3));
    for (const stop of stops) stop();
    assertEquals(socket.listenerCount("close"), before);
  }
  socket.destroy();
});
