import { soakSuite } from "../../scenarios/serve_file/soak_suite.ts";

soakSuite("node", 334);
