import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** What a worker answered, and what workerd complained of. */
export interface WorkerdAnswer {
  readonly text: string;
  readonly errors: string;
}

/** Starts workerd with a configuration of a folder, which has one socket, and asks it for one answer. */
export async function askWorkerd(
  executable: string,
  folder: string,
  config: string,
): Promise<WorkerdAnswer> {
  const flags = ["serve", config, "--control-fd=1"];
  const child = spawn(executable, flags, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  try {
    let errors = "";
    child.stderr.on("data", (bytes) => errors += bytes);
    const gone = once(child, "exit").then(() => {
      throw new Error(`workerd has ended: ${errors}`);
    });
    const [line] = await Promise.race([once(createInterface(child.stdout), "line"), gone]);
    const { port } = JSON.parse(line) as { readonly port: number };
    const response = await Promise.race([fetch(`http://127.0.0.1:${port}/`), gone]);
    const text = await response.text();
    if (!response.ok) throw new Error(`workerd answers ${response.status}: ${text}\n${errors}`);
    // It ends by our hand now.
    gone.catch(() => {});
    return { text, errors };
  } finally {
    child.kill("SIGKILL");
  }
}
