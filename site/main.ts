/// <reference lib="dom" />
import { copyCode } from "./copy_code.ts";
import { followReading } from "./follow_reading.ts";
import { makeScrollable } from "./make_scrollable.ts";
import { startSearch } from "./search.ts";
import { showCurrentPage } from "./show_current_page.ts";

const { root = "" } = (document.currentScript as HTMLScriptElement).dataset;

startSearch(root);
showCurrentPage();
followReading();
makeScrollable();
copyCode();
