import { hosts } from "./hosts.ts";
import { httpTable } from "./http_suite.ts";

for (const { name, normalizes, isWeb, start } of hosts) {
  httpTable({
    title: name,
    normalizes,
    isWeb,
    streams: true,
    start: (root) => start(root, {}, true),
  });
}
