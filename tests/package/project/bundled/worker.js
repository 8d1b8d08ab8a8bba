import { say } from "./program.js";

export default { fetch: async () => new Response(await say()) };
