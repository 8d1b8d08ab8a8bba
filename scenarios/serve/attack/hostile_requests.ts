/** A request as it goes over the wire; its answer must hold nothing from outside the root. */
export interface HostileRequest {
  readonly kind: "ways out" | "targets" | "hosts" | "headers";
  readonly text: string;
}

const dots = ["..", "%2e%2e", "%2E%2e", ".%2e", "%2e.", "%252e%252e", "%c0%ae%c0%ae", "..%00"]
  .concat(["..;", "...", ".. ", "%u002e%u002e", "..%20", "\u2025"]);
const slashes = ["/", "//", "%2f", "%2F", "%252f", "\\", "%5c", "%5C", "%c0%af", "/./", "%00/"]
  .concat([";/", "%0a/", "\uff0f"]);
const goals = ["secret.txt", "etc/passwd", "proc/self/environ", "root-evil/secret.txt"]
  .concat(["root/.env", "outside/secret.txt"]);
const beginnings = ["/", "/sub/", "//", "/link-folder/", "/%2e/", "http://localhost/"];
const depths = [1, 2, 4];

const line = (target: string, host = "localhost", headers = "") =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`;

function* waysOut(): Generator<HostileRequest> {
  for (const dot of dots) {
    for (const slash of slashes) {
      for (const depth of depths) {
        for (const goal of goals) {
          for (const beginning of beginnings.slice(0, depth === 1 ? undefined : 4)) {
            const target = beginning + `${dot}${slash}`.repeat(depth) + goal.replaceAll("/", slash);
            yield { kind: "ways out", text: line(target) };
          }
        }
      }
    }
  }
}

const names = [".env", ".git/config", "sub/.hidden", "link-outside.txt", "link-folder/secret.txt"]
  .concat(["link-twice", "pipe", "secret.txt", "root-evil/secret.txt"])
  .concat(["link-hidden", "sub/link-git/config"]);
const wrappers: readonly ((name: string) => string)[] = [
  (name) => `/${name}`,
  (name) => `//${name}`,
  (name) => `/./${name}`,
  (name) => `/%2e/${name}`,
  (name) => `/sub/../${name}`,
  (name) => `/hello.txt/../${name}`,
  (name) => `/${name}/`,
  (name) => `/${name}%00.txt`,
  (name) => `/${name}?x=/hello.txt`,
  (name) => `/${name};x=1`,
  (name) => `/${name}%20`,
  (name) => `/${name}.`,
  (name) => `/${name}::$DATA`,
  (name) => `/${encodeURIComponent(name)}`,
  (name) => `/${[...name].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("")}`,
  (name) => `/${name.toUpperCase()}`,
  (name) => `http://localhost/${name}`,
  (name) => `http:/${name}`,
  (name) => `file:///${name}`,
  (name) => `localhost:80/${name}`,
  (name) => `${name}`,
  (name) => `/hello.txt#/../${name}`,
];
const oddTargets = ["*", "/%", "/%zz", "/%ff", "/\0", "/hello.txt\0", "?", "#", "//", "///", "/."]
  .concat(["/..", "/...", "/%2f", "/%5c", "/\\", "/C:\\Windows\\win.ini", "/~root/", "/con"])
  .concat(["/hello.txt/", "/hello.txt/.", "/hello.txt/..", "/hello.txt%2f", "/sub%00/"]);

function* targets(): Generator<HostileRequest> {
  for (const name of names) {
    for (const wrap of wrappers) yield { kind: "targets", text: line(wrap(name)) };
  }
  for (const target of oddTargets) {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS", "TRACE", "get", "PROPFIND", "\0"]) {
      yield { kind: "targets", text: line(target).replace("GET", () => method) };
    }
  }
  for (let code = 0; code < 256; code++) {
    const byte = code.toString(16).padStart(2, "0");
    for (const make of [(one: string) => `/${one}`, (one: string) => `/..${one}secret.txt`]) {
      yield { kind: "targets", text: line(make(`%${byte}`)) };
      yield { kind: "targets", text: line(make(String.fromCharCode(code))) };
    }
  }
}

const oddHosts = [
  "",
  " ",
  "x/sub/x.html?",
  "x/../secret.txt?",
  "x#",
  "x?",
  "x\\secret.txt",
  "..",
  "/",
]
  .concat(["[", "[::1", "[::1]x", "x:y", "x:99999999999", ":80", "user@x", "a b", "a,b", "\x7f"])
  .concat(["%2e%2e", "x%00", "localhost/.env?", "é", "x".repeat(5000), "127.0.0.1:80:80"]);

function* hosts(): Generator<HostileRequest> {
  for (const host of oddHosts) {
    for (const target of ["/", "/hello.txt", "/../secret.txt", "//x/secret.txt", "/.env", "/sub"]) {
      yield { kind: "hosts", text: line(target, host) };
      yield { kind: "hosts", text: line(target, `localhost\r\nHost: ${host}`) };
    }
  }
}

const values = [
  "",
  " ",
  ",",
  ";",
  '"',
  '"a',
  "W/",
  "*",
  "-",
  "0",
  "-1",
  "1e9",
  "NaN",
  "\t\t",
  "\x80",
]
  .concat(["bytes=-", "bytes=0-0,0-0", "bytes=--1", "bytes=1-0", "bytes=9".repeat(50), "q=1;q=2"])
  .concat(["Thu, 01 Jan 1970 00:00:00 GMT", "x".repeat(4000), '"a",'.repeat(900)])
  .concat([
    `bytes=${"0-,".repeat(1000)}`,
    "../secret.txt",
    "gzip;q=0.0000001",
    "99999999999999999999",
  ]);
const headers = ["Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since"]
  .concat(["If-Unmodified-Since", "Accept-Encoding", "Accept", "Expect", "Upgrade", "Connection"])
  .concat([
    "X-Original-URL",
    "X-Rewrite-URL",
    "X-Forwarded-Host",
    "X-Forwarded-Prefix",
    "Destination",
  ]);

function* oddHeaders(): Generator<HostileRequest> {
  for (const header of headers) {
    for (const value of values) {
      for (const target of ["/hello.txt", "/sub/"]) {
        yield { kind: "headers", text: line(target, "localhost", `${header}: ${value}\r\n`) };
      }
    }
  }
}

/** Requests that ask for what must not be served, or that are none. */
export function hostileRequests(): HostileRequest[] {
  return [...waysOut(), ...targets(), ...hosts(), ...oddHeaders()];
}
