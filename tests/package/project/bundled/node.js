import { say } from "./program.js";

console.log(await say());
