import { loadSuite } from "./load_suite.ts";

loadSuite("node");
