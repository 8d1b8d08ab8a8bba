import { buildSite } from "../../scripts/site/build_site.ts";

let built: Promise<Map<string, string>> | undefined;

/** The site, built once for all tests of a file. */
export function builtSite(): Promise<Map<string, string>> {
  return built ??= buildSite();
}
