import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import S3rver from "s3rver";
import { parallel, pipeline, rechunk } from "@hosepipe/streams";
import { parseMultipart } from "@hosepipe/streams/formats";

const mebibyte = 1024 * 1024;

/** Runs `use` with the address of a bucket in a store that speaks S3. */
async function withBucket(use: (bucket: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "hosepipe-s3-"));
  const configureBuckets = [{ name: "photos", configs: [] }];
  const store = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    configureBuckets,
  });
  try {
    const { port } = await store.run();
    await use(`http://127.0.0.1:${port}/photos`);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Asks the store, and fails unless it agrees. */
async function ask(address: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  if (response.ok) return response;
  throw new Error(`${response.status} ${await response.text()}`);
}

/** Uploads bytes of unknown length in parts of 5 MiB, four at a time; an upload that fails leaves nothing. */
async function upload(source: ReadableStream<Uint8Array>, address: string): Promise<void> {
  const begun = await (await ask(`${address}?uploads`, { method: "POST" })).text();
  const id = /<UploadId>(.*)<\/UploadId>/.exec(begun)![1];
  const parts: string[] = [];
  try {
    await pipeline(
      source,
      rechunk(5 * mebibyte),
      parallel(async (bytes, index, { signal }) => {
        const number = index + 1;
        const part = `${address}?partNumber=${number}&uploadId=${id}`;
        const response = await ask(part, { method: "PUT", body: bytes as BodyInit, signal });
        await response.body?.cancel();
        const tag = response.headers.get("etag");
        return `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`;
      }, { concurrency: 4 }),
      (part) => void parts.push(part),
    );
  } catch (error) {
    // A clean-up that fails, as in the store of these tests, does not replace the reason.
    const removed = await fetch(`${address}?uploadId=${id}`, { method: "DELETE" }).catch(() => {});
    await removed?.body?.cancel();
    throw error;
  }
  const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
  await (await ask(`${address}?uploadId=${id}`, { method: "POST", body })).text();
}

function photo(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, at) => at * 7 + (at >> 16));
}

function formOf(bytes: Uint8Array<ArrayBuffer>): Request {
  const form = new FormData();
  form.set("comment", "a part that is not read is skipped");
  form.set("photo", new File([bytes], "photo.raw"));
  return new Request("http://localhost/", { method: "POST", body: form });
}

test("a file of a form goes on to a store that speaks S3, in parts", async () => {
  await withBucket(async (bucket) => {
    const bytes = photo(12 * mebibyte + 345);
    for await (const { name, body } of parseMultipart(formOf(bytes))) {
      if (name === "photo") await upload(body, `${bucket}/photo.raw`);
    }
    const stored = new Uint8Array(await (await ask(`${bucket}/photo.raw`)).arrayBuffer());
    assertEquals(stored.length, bytes.length);
    assert(stored.every((byte, at) => byte === bytes[at]));
  });
});

test("a form that ends too early leaves no object in the store", async () => {
  await withBucket(async (bucket) => {
    const whole = formOf(photo(7 * mebibyte));
    const boundary = /boundary=(.*)/.exec(whole.headers.get("content-type")!)![1]!;
    const cut = new Uint8Array(await whole.arrayBuffer()).subarray(0, 6 * mebibyte);
    const read = async () => {
      for await (const { name, body } of parseMultipart([cut], { boundary })) {
        if (name === "photo") await upload(body, `${bucket}/photo.raw`);
      }
    };
    await assertRejects(read, SyntaxError, "Cannot parse multipart");
    const response = await fetch(`${bucket}/photo.raw`);
    await response.text();
    assertEquals(response.status, 404);
  });
});
