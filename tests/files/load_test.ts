import { loadSuite } from "./load_suite.ts";

loadSuite("web");
