import { readdirSync } from "node:fs";
import process from "node:process";

const folder = new URL("examples/", import.meta.url);
let passed = 0;
for (const name of readdirSync(folder)) {
  try {
    await import(new URL(name, folder).href);
    passed++;
  } catch (error) {
    console.log(`${name}: ${error?.stack ?? error}`);
  }
}
console.log(`${passed} passed`);
process.exit();
