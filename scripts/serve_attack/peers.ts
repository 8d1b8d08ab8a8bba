import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import send from "send";
import sirv from "sirv";
import { serve } from "srvx/node";
import { staticMiddleware } from "srvx/static";
import { freePort } from "../servers/free_port.ts";

/** A server that is running. */
export interface Running {
  readonly port: number;
  close(): Promise<void>;
}

/** A file server, set up to do all that it can. */
export interface FileServer {
  readonly name: string;
  start(root: string): Promise<Running>;
}

async function listen(listener: RequestListener): Promise<Running> {
  const server = createServer((request, response) => {
    try {
      listener(request, response);
    } catch {
      // What a peer throws would end the process, where a framework answers.
      response.writeHead(500).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as { port: number }).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function listenWeb(options: Omit<Parameters<typeof serve>[0], "port">): Promise<Running> {
  const server = serve({ ...options, hostname: "127.0.0.1", port: 0, silent: true });
  await server.ready();
  return { port: Number(new URL(server.url!).port), close: () => server.close(true) };
}

function nginxConfiguration(folder: string, root: string, port: number): string {
  return `
daemon off;
pid ${folder}/pid;
error_log ${folder}/error.log;
${process.getuid?.() === 0 ? "user root;" : ""}
events {}
http {
  types { text/html html; text/plain txt; application/javascript js; }
  charset utf-8;
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${root};
    gzip_static on;
    gzip_vary on;
    autoindex on;
    disable_symlinks if_not_owner from=$document_root;
    add_header Cache-Control max-age=60;
    location ~ /\\.(?!well-known/) { return 404; }
  }
}
`;
}

async function startNginx(root: string): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-nginx-"));
  const port = await freePort();
  const configuration = join(folder, "nginx.conf");
  await writeFile(configuration, nginxConfiguration(folder, root, port));
  const child = spawn("nginx", ["-p", folder, "-c", configuration], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exited = once(child, "exit");
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/hello.txt`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    async close() {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What nginx calls itself, or `undefined` where there is none. */
export async function findNginx(): Promise<string | undefined> {
  try {
    const { stderr } = await promisify(execFile)("nginx", ["-v"]);
    return /nginx\/([\d.]+)/.exec(stderr)?.[1];
  } catch {
    return undefined;
  }
}

/** What ours are compared with. */
export const peers: readonly FileServer[] = [
  {
    name: "sirv",
    start: (root) =>
      listen(sirv(root, { etag: true, gzip: true, brotli: true, dotfiles: false, maxAge: 60 })),
  },
  {
    name: "send",
    start: (root) =>
      listen((request, response) => {
        const path = request.url!.replace(/[?#].*/s, "");
        send(request, path, { root, dotfiles: "ignore", maxAge: 60_000 }).pipe(response);
      }),
  },
  {
    name: "srvx",
    start: (root) =>
      listenWeb({
        middleware: [
          staticMiddleware({
            dir: root,
            encodings: { br: ".br", zstd: ".zst", gzip: ".gz" },
            compress: false,
            maxAge: 60,
          }),
        ],
        fetch: () => new Response("Not Found", { status: 404 }),
      }),
  },
];

/** The one that has to be installed by other means. */
export const nginx: FileServer = { name: "nginx", start: startNginx };
