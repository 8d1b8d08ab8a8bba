import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

const folder = new URL("../../site/", import.meta.url);

/** The style and the script of every page, by their paths on the site. */
export async function bundleAssets(): Promise<Map<string, string>> {
  try {
    const { outputFiles } = await build({
      ...{ bundle: true, write: false, minify: true, charset: "utf8", legalComments: "none" },
      ...{ platform: "browser", target: "es2022", format: "iife", logLevel: "silent" },
      absWorkingDir: fileURLToPath(new URL("../", folder)),
      entryPoints: ["main.ts", "style/main.css"].map((path) =>
        fileURLToPath(new URL(path, folder))
      ),
      outdir: fileURLToPath(folder),
    });
    const text = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))!.text;
    return new Map([["site.js", text(".js")], ["site.css", text(".css")]]);
  } finally {
    await stop();
  }
}
