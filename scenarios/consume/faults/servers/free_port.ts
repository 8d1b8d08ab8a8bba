import { freePorts } from "./free_ports.ts";

/** A port that is free at this time. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
