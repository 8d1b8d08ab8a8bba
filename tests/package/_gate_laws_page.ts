/** The laws under fewer conditions, run in the page of a browser. */
import "./_fewer_conditions.ts";

export { runLaws } from "./_laws_page.ts";
