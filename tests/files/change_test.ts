import { changeSuite } from "./change_suite.ts";

changeSuite("web");
