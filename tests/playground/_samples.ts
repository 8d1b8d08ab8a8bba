import { deflateRawSync } from "node:zlib";
import { map, pipeline, probe } from "@hosepipe/streams";

/** What `linkedCode` holds. */
export const linkedText = "console.log('from a link: ü 🚿');\n";

/** The end of an address that holds code. */
export const linkedCode: string = `#code=${deflateRawSync(linkedText).toString("base64url")}`;

/** A recording of a program's own pipeline. */
export async function recordOrders(): Promise<string> {
  const look = probe({ name: "orders" });
  await pipeline(
    look.reader(["a", "b", "c"], { name: "inbox" }),
    look.transformer(map((text: string) => text.toUpperCase()), { name: "shout" }),
    look.writer(() => {}, { name: "shelf" }),
  );
  return look.toJsonLines();
}
