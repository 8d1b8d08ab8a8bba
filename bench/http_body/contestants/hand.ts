import { once } from "node:events";
import type { SendBody } from "../job.ts";

export const hand: SendBody = async ({ pieces, steps, response }) => {
  for (const piece of pieces) {
    let text = piece;
    for (const step of steps) text = step(text);
    if (!response.write(text)) await once(response, "drain");
  }
  response.end();
};
