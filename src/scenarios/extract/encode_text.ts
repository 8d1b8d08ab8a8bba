/** Text and the number of rows in it. */
export interface TextOfRows {
  readonly text: string;
  readonly rows: number;
}

/** Bytes and the number of rows that end in them. */
export interface BytesOfRows {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/**
 * A transformer that joins texts until they are `size` UTF-16 units or more, and encodes them: how
 * rows were read has no say in how they are written.
 */
export function encodeText(size: number): Transformer<TextOfRows, BytesOfRows> {
  const encoder = new TextEncoder();
  let text = "";
  let rows = 0;
  const flush = (controller: TransformStreamDefaultController<BytesOfRows>) => {
    if (text === "") return;
    controller.enqueue({ bytes: encoder.encode(text), rows });
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
