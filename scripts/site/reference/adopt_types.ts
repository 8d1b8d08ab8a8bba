/** A page of the reference as far as types go: its symbols, and what their declarations say. */
interface TypedPage {
  readonly symbols: readonly {
    readonly name: string;
    readonly isType: boolean;
    readonly signatures: readonly { readonly code: string }[];
  }[];
}

function hasValue(page: TypedPage): boolean {
  return page.symbols.some(({ isType }) => !isType);
}

function mentions(page: TypedPage, name: string): boolean {
  const pattern = new RegExp(`\\b${name}\\b`);
  return page.symbols.some((symbol) =>
    symbol.name !== name && symbol.signatures.some(({ code }) => pattern.test(code))
  );
}

/** The page that a type is read on best: of the function whose options it is, or of the only one that needs it. */
function homeOf<Page extends TypedPage>(name: string, pages: readonly Page[]): Page | undefined {
  const owner = pages.find(({ symbols }) =>
    symbols.some((symbol) =>
      !symbol.isType && `${symbol.name}Options`.toLowerCase() === name.toLowerCase()
    )
  );
  if (owner !== undefined) return owner;
  const users = pages.filter((page) => mentions(page, name));
  return users.length === 1 && hasValue(users[0]!) ? users[0] : undefined;
}

/**
 * Moves types to the page of the function that they belong to, so that a function and its options are read together,
 * wherever they are declared; types of several functions stay where they are.
 */
export function adoptTypes<Page extends TypedPage>(pages: readonly Page[]): Page[] {
  let current = [...pages];
  for (;;) {
    const homeless = current.filter((page) => !hasValue(page)).flatMap(({ symbols }) => symbols);
    const moved = homeless.find(({ name }) => homeOf(name, current) !== undefined);
    if (moved === undefined) return current;
    const home = homeOf(moved.name, current)!;
    current = current.map((page) => {
      if (page === home) return { ...page, symbols: [...page.symbols, moved] };
      return { ...page, symbols: page.symbols.filter((symbol) => symbol !== moved) };
    }).filter(({ symbols }) => symbols.length > 0);
  }
}
