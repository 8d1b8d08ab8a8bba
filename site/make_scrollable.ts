/// <reference lib="dom" />

/** Lets the keyboard reach what is wider than its place, and only that. */
export function makeScrollable(): void {
  const found = document.querySelectorAll<HTMLElement>("pre, .table");
  const update = () => {
    for (const element of found) {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    }
  };
  update();
  addEventListener("resize", update);
}
