/// <reference lib="dom" />

/** Opens the table of contents where there is room for it, and marks in it what is being read. */
export function followReading(): void {
  const details = document.querySelector<HTMLDetailsElement>(".contents details");
  if (details === null) return;
  const wide = matchMedia("(min-width: 75rem)");
  const open = () => details.open = wide.matches;
  open();
  wide.addEventListener("change", open);

  const links = [...details.querySelectorAll<HTMLAnchorElement>("a")];
  const headings = links.map((link) =>
    document.getElementById(decodeURIComponent(link.hash.slice(1)))
  );
  let marked: HTMLAnchorElement | undefined;
  const mark = () => {
    const index = headings.findLastIndex((heading) =>
      heading !== null && heading.getBoundingClientRect().top < innerHeight / 4
    );
    if (links[index] === marked) return;
    marked?.removeAttribute("aria-current");
    marked = links[index];
    marked?.setAttribute("aria-current", "location");
    if (wide.matches) marked?.scrollIntoView({ block: "nearest" });
  };
  const seen = new IntersectionObserver(mark, { rootMargin: "0px 0px -75% 0px" });
  for (const heading of headings) if (heading !== null) seen.observe(heading);
}
