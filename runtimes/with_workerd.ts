import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A workerd that runs. */
export interface RunningWorkerd {
  /** Asks for a path, and answers with the text. */
  ask(path: string): Promise<string>;
  /** What it has complained of so far. */
  readonly errors: string;
}

/** Starts workerd with a configuration of a folder, which has one socket, and ends it once `use` has settled. */
export async function withWorkerd<T>(
  executable: string,
  folder: string,
  config: string,
  use: (workerd: RunningWorkerd) => Promise<T>,
): Promise<T> {
  const flags = ["serve", config, "--control-fd=1"];
  const child = spawn(executable, flags, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  try {
    let errors = "";
    child.stderr.on("data", (bytes) => errors += bytes);
    const gone = once(child, "exit").then(() => {
      throw new Error(`workerd has ended: ${errors}`);
    });
    // Asked or not, it ends by our hand in the end.
    gone.catch(() => {});
    const [line] = await Promise.race([once(createInterface(child.stdout), "line"), gone]);
    const { port } = JSON.parse(line) as { readonly port: number };
    return await use({
      async ask(path) {
        const response = await Promise.race([fetch(`http://127.0.0.1:${port}${path}`), gone]);
        const text = await response.text();
        if (!response.ok) throw new Error(`workerd answers ${response.status}: ${text}\n${errors}`);
        return text;
      },
      get errors() {
        return errors;
      },
    });
  } finally {
    child.kill("SIGKILL");
  }
}
