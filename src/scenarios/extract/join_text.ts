/** Text and the number of rows in it. */
export interface TextOfRows {
  readonly text: string;
  readonly rows: number;
}

/**
 * A transformer that joins texts until they are `size` UTF-16 units or more: how rows were read has no
 * say in how they are written.
 */
export function joinText(size: number): Transformer<TextOfRows, TextOfRows> {
  let text = "";
  let rows = 0;
  const flush = (controller: TransformStreamDefaultController<TextOfRows>) => {
    if (text === "") return;
    controller.enqueue({ text, rows });
    text = "";
    rows = 0;
  };
  return {
    transform(chunk, controller) {
      text += chunk.text;
      rows += chunk.rows;
      if (text.length >= size) flush(controller);
    },
    flush,
  };
}
