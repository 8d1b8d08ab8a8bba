import { limitsSuite } from "../../scenarios/serve_file/limits_suite.ts";

limitsSuite("node");
