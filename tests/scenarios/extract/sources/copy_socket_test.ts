import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { CopySocket } from "../../../../scenarios/extract/sources/copy_socket.ts";

function message(kind: string, body: string): Buffer {
  const bytes = Buffer.alloc(5 + Buffer.byteLength(body));
  bytes.write(kind);
  bytes.writeUInt32BE(bytes.length - 1, 1);
  bytes.write(body, 5);
  return bytes;
}

const before = [message("R", "authentication"), message("Z", "I"), message("d", "not a copy's")];
const rows = [message("d", "1,ü\n"), message("d", ""), message("d", `2,${"x".repeat(300)}\n`)];
const answer = [message("H", "copy"), ...rows, message("c", ""), message("C", "COPY 3\0")];
const after = [message("Z", "I"), message("d", "again no copy's")];

/** What the driver and the sink get of what comes in pieces that end at the places. */
function given(bytes: Buffer, ends: readonly number[], sentAt: number) {
  const socket = new CopySocket();
  const passed: Buffer[] = [];
  const taken: string[] = [];
  socket.on("data", (bytes: Buffer) => void passed.push(Buffer.from(bytes)));
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    if (start <= sentAt && end > sentAt) {
      socket.emit("data", bytes.subarray(start, sentAt));
      start = sentAt;
      socket.startCopy({
        add: (bytes, from, to) => void taken.push(bytes.toString("utf8", from, to)),
        onRows: () => void taken.push("-"),
        onCount: (count) => void taken.push(`${count} rows`),
      });
    }
    socket.emit("data", bytes.subarray(start, end));
    start = end;
  }
  socket.destroy();
  return { passed: Buffer.concat(passed), taken: taken.filter((one) => one !== "-") };
}

test("rows of a COPY go to the sink and all else to the driver, however the bytes are cut", () => {
  const bytes = Buffer.concat([...before, ...answer, ...after]);
  const sentAt = Buffer.concat(before).length;
  const others = [...before, answer[0]!, ...answer.slice(4), ...after];
  const expected = {
    passed: Buffer.concat(others),
    taken: ["1,ü\n", "", `2,${"x".repeat(300)}\n`, "3 rows"],
  };
  for (let cut = 1; cut < bytes.length; cut++) {
    assertEquals(given(bytes, [cut], sentAt), expected, `cut at ${cut}`);
    for (const more of [1, 2, 5, 40]) {
      if (cut + more >= bytes.length) continue;
      assertEquals(given(bytes, [cut, cut + more], sentAt), expected, `${cut} and ${more} more`);
    }
  }
  const each = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
  assertEquals(given(bytes, each, sentAt), expected);
});

test("the rows of a COPY that fails end with its error", () => {
  const failed = [answer[0]!, rows[0]!, message("E", "division by zero"), ...after];
  const { passed, taken } = given(Buffer.concat([...before, ...failed]), [60], 60);
  assertEquals(taken, ["1,ü\n"]);
  assertEquals(passed, Buffer.concat([...before, answer[0]!, failed[2]!, ...after]));
});

test("an encrypted connection is the driver's alone", () => {
  for (const [answered, canCopy] of [["S", false], ["N", true]] as const) {
    const socket = new CopySocket();
    const passed: string[] = [];
    socket.on("data", (bytes: Buffer) => void passed.push(bytes.toString()));
    socket.emit("data", Buffer.from(answered));
    socket.startCopy({ add() {}, onRows() {}, onCount() {} });
    socket.emit("data", message("d", "row"));
    assertEquals(socket.canCopy, canCopy);
    assertEquals(passed.length, canCopy ? 1 : 2);
    socket.destroy();
  }
});
