import { soakSuite } from "./soak_suite.ts";

soakSuite("web");
