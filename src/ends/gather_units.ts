import { throwTypeError } from "../errors.ts";
import { isBytes } from "../is_bytes.ts";
import { gather, type GatherCall } from "./gather.ts";

/** Runs a chain to its end, whose chunks are all text or all bytes; answers which. */
export async function gatherUnits(
  call: GatherCall<unknown>,
  takeText: (text: string) => void,
  takeBytes: (bytes: Uint8Array) => void,
): Promise<"text" | "bytes" | undefined> {
  let kind: "text" | "bytes" | undefined;
  await gather(call, (chunk) => {
    if (typeof chunk === "string" && kind !== "bytes") {
      kind = "text";
      takeText(chunk);
    } else if (isBytes(chunk) && kind !== "text") {
      kind = "bytes";
      takeBytes(chunk);
    } else {
      const need = { text: "a string", bytes: "a Uint8Array" };
      const either = "a Uint8Array or a string";
      throwTypeError(`run ${call.name}`, "a chunk", kind ? need[kind] : either, chunk);
    }
  });
  return kind;
}
