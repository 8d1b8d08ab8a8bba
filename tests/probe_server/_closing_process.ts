/** Serves a probe, opens pages on it and closes the server: nothing may keep this process alive then. */
import { probe } from "@hosepipe/streams/inspect";
import { serveProbe } from "@hosepipe/streams/node";
import { EventClient, sendRaw } from "./_event_client.ts";

const look = probe({ name: "x".repeat(2 ** 22) });
const { url, close } = await serveProbe(look, { show: String });
const { host, pathname } = new URL(url);
const request = `GET ${pathname}events HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
const stuck = await sendRaw(url, request);
stuck.pause();
// One that has asked for nothing yet, and one whose request is not whole.
await sendRaw(url, "");
await sendRaw(url, request.slice(0, -2));
const page = await EventClient.open(url);
for (let count = 0; count < 3; count++) await page.state();
await close();
stuck.destroy();
console.log("closed");
