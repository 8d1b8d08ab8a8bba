import { soakSuite } from "./soak_suite.ts";

soakSuite("node");
