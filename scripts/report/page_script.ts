/** What the report does by itself: it shows and hides what already exists. */
export const pageScript = `
(() => {
  "use strict";
  document.documentElement.classList.add("scripted");
  const boxes = [...document.querySelectorAll("input[data-filter]")];
  const off = { runtime: new Set(), api: new Set() };

  function apply() {
    for (const box of boxes) box.checked = !off[box.dataset.filter].has(box.value);
    for (const element of document.querySelectorAll("[data-runtime], [data-api]")) {
      const { runtime, api } = element.dataset;
      element.classList.toggle("off", off.runtime.has(runtime) || off.api.has(api));
    }
    const isFiltered = off.runtime.size + off.api.size > 0;
    document.querySelector("[data-reset]").disabled = !isFiltered;
    const runtimes = boxes.filter((box) => box.dataset.filter === "runtime");
    document.querySelector("[data-empty]").hidden = runtimes.some((box) => box.checked);
  }

  function choose(select) {
    const section = document.getElementById(select.dataset.choose);
    for (const variant of section.querySelectorAll("[data-variant]")) {
      variant.hidden = variant.dataset.variant !== select.value;
      for (const heading of variant.querySelectorAll("h3.variant")) heading.hidden = true;
    }
  }

  document.addEventListener("change", ({ target }) => {
    if (target.dataset.choose) return choose(target);
    if (!target.dataset.filter) return;
    const values = off[target.dataset.filter];
    if (target.checked) values.delete(target.value);
    else values.add(target.value);
    apply();
  });
  document.querySelector("[data-reset]").addEventListener("click", () => {
    off.runtime.clear();
    off.api.clear();
    apply();
  });
  // Browsers keep what forms held over a reload; the page starts from what they hold.
  for (const box of boxes) if (!box.checked) off[box.dataset.filter].add(box.value);
  for (const select of document.querySelectorAll("select[data-choose]")) choose(select);
  apply();
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
})();
`;
