/// <reference lib="dom" />

/** Scrolls the menu, and nothing around it, to the page that is open. */
export function showCurrentPage(): void {
  const menu = document.querySelector<HTMLElement>("#menu")!;
  const scroll = () => {
    const current = menu.querySelector("[aria-current]")?.getBoundingClientRect();
    if (current === undefined || current.height === 0) return;
    menu.scrollTop += current.top - menu.getBoundingClientRect().top - menu.clientHeight / 3;
  };
  scroll();
  menu.addEventListener("toggle", scroll);
}
