import type { Server } from "node:http";
import { connect, Server as NetServer } from "node:net";
import { isOutOfFiles } from "../../src/files/failed_answer.ts";
import { processLimit } from "../../src/files/slots.ts";
import { closeNodeServer, type ListenOptions, type RunningServer } from "./running_server.ts";

/** How soon after a connection a server is checked for whether it still accepts more. */
const checkEveryMs = 500;

/** How long it has for that, from turn to turn: if the process was busy, it gets another turn to accept in. */
const patienceMs = [1000, 500];

/**
 * With fewer connections than that no file can have been missing: a busy server must not be taken for one that accepts
 * no more, since to replace it resets the connections that wait for it.
 */
const defaultDoubtAt = Math.floor(processLimit / 4);

/** What is different in a test. */
export interface KeepListeningOptions {
  readonly isForgetful?: boolean;
  readonly doubtAt?: number;
}

/** How soon listening is tried again. */
const retryMs = 100;

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as { port: number }).port);
    });
  });
}

/** The runtime whose servers stop accepting once they have found no file for a connection. */
const isDeno = "Deno" in globalThis;

/** Whether a connection to a port comes out at a server; `undefined` if there was no file for one. */
function isAccepted(server: Server, host: string, port: number): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (answer: boolean | undefined) => {
      clearTimeout(timer);
      server.off("connection", accept);
      socket.destroy();
      resolve(answer);
    };
    const accept = () => settle(true);
    let timer: ReturnType<typeof setTimeout>;
    const wait = ([ms, ...more]: readonly number[]) => {
      if (ms === undefined) return settle(false);
      timer = setTimeout(() => wait(more), ms);
    };
    wait(patienceMs);
    server.on("connection", accept);
    socket.once("error", (error) => settle(isOutOfFiles(error) ? undefined : false));
  });
}

/**
 * Listens with a server that is replaced when it no longer accepts connections, as Deno's `node:net` does not
 * once it has found no file for one. The replaced server's open answers go on.
 *
 * @param options `isForgetful`, whether the runtime's servers stop accepting (default: in Deno), and `doubtAt`, from how
 * many connections on that may be.
 */
export async function keepListening(
  { host, port, onTrouble }: ListenOptions,
  createServer: () => Server,
  { isForgetful = isDeno, doubtAt = defaultDoubtAt }: KeepListeningOptions = {},
): Promise<RunningServer> {
  let current = createServer();
  const replaced = new Set<Server>();
  const actualPort = await listen(current, host, port);
  if (!isForgetful) {
    return { port: actualPort, close: (graceMs) => closeNodeServer(current, graceMs) };
  }

  let isClosing = false;
  // A check follows each half second with a connection, or with many open: otherwise nothing can go wrong.
  let isInDoubt = false;
  let connections = 0;
  const watch = () =>
    current.on("connection", (socket) => {
      if (++connections >= doubtAt) isInDoubt = true;
      socket.once("close", () => connections--);
    });
  watch();

  async function replace(): Promise<void> {
    onTrouble?.("the runtime accepts no more connections; listening again");
    const old = current;
    replaced.add(old);
    // As any server closes, and not as `node:http`'s does, which drops connections that have yet to ask.
    NetServer.prototype.close.call(old, () => replaced.delete(old));
    // The port may be free only a moment later, and a file for it once a client has left.
    while (!isClosing) {
      const next = createServer();
      if (await listen(next, host, actualPort).then(() => true, () => false)) {
        current = next;
        watch();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  let checking = Promise.resolve();
  const timer = setInterval(() => {
    if (!isInDoubt) return;
    isInDoubt = false;
    checking = checking.then(async () => {
      if (isClosing) return;
      const accepted = await isAccepted(current, host, actualPort);
      // The check itself may have taken the last file: with this many connections, another follows.
      isInDoubt = accepted === undefined || connections >= doubtAt;
      if (accepted === false && !isClosing) await replace();
    });
  }, checkEveryMs);
  timer.unref();

  return {
    port: actualPort,
    async close(graceMs) {
      isClosing = true;
      clearInterval(timer);
      await Promise.all([current, ...replaced].map((server) => closeNodeServer(server, graceMs)));
    },
  };
}
