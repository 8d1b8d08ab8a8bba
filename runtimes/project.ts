import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of this project, as it really is. */
export const project: string = realpathSync(fileURLToPath(new URL("../", import.meta.url)));
