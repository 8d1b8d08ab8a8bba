import { changeSuite } from "../../scenarios/serve_file/change_suite.ts";

changeSuite("node");
