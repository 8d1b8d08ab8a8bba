import { scriptCommand } from "./script_command.ts";
import { startSpeaking } from "./start_speaking.ts";

/** A server as if it were far away. */
export interface DelayedServer {
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Puts a proxy before a server on this machine; it adds `delayMs` to each round trip. It has a process of its own: what
 * it holds and does is none of what is measured.
 */
export async function openDelay(address: string, delayMs: number): Promise<DelayedServer> {
  const { hostname, port } = new URL(address);
  const script = new URL("./delay_proxy.ts", import.meta.url);
  const { child, line } = await startSpeaking(
    scriptCommand(script, hostname, port, String(delayMs)),
  );
  if (line === undefined) throw new Error("Cannot start the proxy that delays");
  return {
    address: address.replace(/^(\w+:\/\/(?:[^@/]*@)?)[^/?]+/, `$1127.0.0.1:${line}`),
    async close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      child.stdin!.destroy();
      await ended;
    },
  };
}
