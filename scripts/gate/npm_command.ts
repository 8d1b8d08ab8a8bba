import process from "node:process";

/** How npm is started. */
export const npmCommand: readonly string[] = process.platform === "win32"
  ? ["cmd.exe", "/d", "/c", "npm"]
  : ["npm"];
