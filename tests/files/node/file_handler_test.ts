import { assertEquals } from "@std/assert";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileHandler } from "@hosepipe/streams/node";
import { beginReading } from "../begin_reading.ts";
import { withFixture } from "../fixture.ts";
import { serveNode } from "../hosts.ts";
import { openFiles, remainingFiles } from "../open_files.ts";
import { rawRequest } from "../raw_request.ts";

const get = (target: string, last = "") =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${last && "Connection: close\r\n"}\r\n`;

test("the files of a client that pipelines requests and leaves are closed", () =>
  withFixture(async (root) => {
    const path = join(root, "long.bin");
    await writeFile(path, "");
    await truncate(path, 64 * 2 ** 20);
    const handler = fileHandler(root);
    const over: Promise<void>[] = [];
    const server = await serveNode((request, response) => {
      over.push(handler(request, response));
    });
    try {
      const socket = await beginReading(server.port, get("/long.bin") + get("/long.bin"));
      while (process.platform === "linux" && openFiles(root).length < 1) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      socket.destroy();
      assertEquals(await remainingFiles(root), []);
      await Promise.all(over);
    } finally {
      await server.close();
    }
  }));

test("many pipelined requests are all answered, without a warning", () =>
  withFixture(async (root) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const server = await serveNode(fileHandler(root, { chunkSize: 1000 }));
    try {
      const text = get("/big.bin").repeat(19) + get("/big.bin", "last");
      const received = await rawRequest(server.port, text);
      assertEquals(received.toString("latin1").split("HTTP/1.1 200 OK\r\n").length, 21);
      await new Promise((resolve) => setTimeout(resolve, 0));
      assertEquals(warnings.map(String), []);
    } finally {
      process.removeListener("warning", onWarning);
      await server.close();
    }
  }));

test("an answer that has begun already is an error, and the file is closed", () =>
  withFixture(async (root) => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const handler = fileHandler(root, { chunkSize: 1000, onError });
    const server = await serveNode((request, response) => {
      response.writeHead(200, { "content-length": "5" });
      response.write("begun");
      handler(request, response);
    });
    try {
      await rawRequest(server.port, get("/big.bin", "last"));
      assertEquals(await remainingFiles(root), []);
      assertEquals(errors.map((error) => error instanceof Error), [true]);
    } finally {
      await server.close();
    }
  }));
