import { changeSuite } from "./change_suite.ts";

changeSuite("node");
