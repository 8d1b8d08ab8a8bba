/// <reference lib="dom" />

/** Gives each block of code a button that copies it, where the browser lets a page copy. */
export function copyCode(): void {
  if (navigator.clipboard === undefined) return;
  for (const code of document.querySelectorAll(".code:not(.output, .signature) > pre")) {
    const button = Object.assign(document.createElement("button"), {
      ...{ type: "button", className: "copy", textContent: "Copy" },
    });
    button.addEventListener("click", async () => {
      const isCopied = await navigator.clipboard.writeText(code.textContent!)
        .then(() => true, () => false);
      button.textContent = isCopied ? "Copied" : "Not allowed";
      setTimeout(() => button.textContent = "Copy", 2000);
    });
    code.after(button);
  }
}
