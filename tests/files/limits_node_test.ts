import { limitsSuite } from "./limits_suite.ts";

limitsSuite("node");
