import type { Sql } from "postgres";
import type { FormatOptions } from "../formats/format_options.ts";
import { copyChanges, type CopyMarks } from "./copy_values.ts";
import { type PostgresCopy, postgresCopy } from "./postgres_copy.ts";
import {
  castOf,
  fixedTypes,
  longTypes,
  mostNumericBytes,
  postgresTypes,
} from "./postgres_value.ts";
import type { SqlColumn } from "./sql_shape.ts";

interface Column extends SqlColumn {
  readonly type: number;
}

/** What lines are read of. */
export interface PostgresLinesOptions {
  readonly columns: readonly Column[];
  /** What a row is known by. */
  readonly keys: readonly SqlColumn[];
  /** Where a row lies in the span that is read, in SQL. */
  readonly place: string | undefined;
  readonly maxValueBytes: number;
  /** Whether no stored value is larger than `mostStoredBytes`. */
  readonly isSmall: boolean;
  /** Whether the key of rows must be found in their lines. */
  readonly isKeyed: boolean;
  /** Where rows are from, which they are, and in which order. */
  readonly fromWhere: string;
}

/** How rows are read as lines. */
export interface PostgresLines {
  readonly statement: string;
  readonly marks: CopyMarks;
  /** Whether a first field says where the row lies, or in brackets what of it is too large. */
  readonly isHeaded: boolean;
  /** Which field says where a row lies, if no first field does. */
  readonly placeIndex: number | undefined;
  /** Which fields are the key; none if it is not asked for. */
  readonly keyIndexes: readonly number[];
}

/** How much larger what was compressed may be: by far less than this. */
const mostGrowth = 300;

/** Types of which a value is no longer as text than as it is stored, when that is not compressed. */
const storedTypes: ReadonlySet<number> = new Set([
  ...[...longTypes].filter((type) => type !== postgresTypes.bytea),
  postgresTypes.json,
]);

/**
 * Whether no value of a table can be large, because none was ever stored outside of its row: then there is no need to
 * measure each.
 */
export async function isTableSmall(sql: Sql, table: string, leastBytes: number): Promise<boolean> {
  const [row] = await sql`
    SELECT relkind = 'r' AND NOT relhassubclass AND current_setting('block_size')::int8 * ${mostGrowth} <= ${leastBytes}
      AND coalesce(pg_relation_size(nullif(reltoastrelid, 0)::regclass), 0) = 0
      AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid 
        AND coalesce(to_jsonb(pg_attribute) ->> 'attgenerated', '') NOT IN ('', 's'))
      AS is_small FROM pg_class WHERE oid = ${table}::regclass`;
  return row?.is_small === true;
}

/** How rows are read as lines of a format, which the server makes; `undefined`: it cannot. */
export function postgresLines(
  format: FormatOptions,
  options: PostgresLinesOptions,
): PostgresLines | undefined {
  const { columns, keys, place, maxValueBytes: most, isSmall, fromWhere } = options;
  const copyOf = (columns: readonly Column[]): PostgresCopy | undefined =>
    postgresCopy(format, columns);
  const copy = copyOf(columns);
  if (copy === undefined) return;
  const keyIndexes = options.isKeyed
    ? keys.map((key) => columns.findIndex(({ expression }) => expression === key.expression))
    : [];
  const { changes, text } = copy.marks;
  // What was changed is no longer the text that the server knows a row by.
  const isAsItIs = (index: number) =>
    text === undefined && changes[index] === copyChanges.none &&
    copy.fields[index] === columns[index]!.expression;
  if (!keyIndexes.every(isAsItIs)) return;
  const sizes = columns.map(({ expression, type }) =>
    fixedTypes.has(type) || (type === postgresTypes.numeric && most >= mostNumericBytes) ||
      isSmall && storedTypes.has(type)
      ? undefined
      : `octet_length(${expression}::${castOf(type)})`
  );
  // What is too large is not sent.
  const sent = columns.map((column, index) => {
    if (sizes[index] === undefined) return column;
    const { expression } = column;
    const bounded = `CASE WHEN ${sizes[index]} > ${most} THEN NULL ELSE ${expression} END`;
    return { ...column, expression: `(${bounded})` };
  });
  const known = (keys.length > 0 ? keys : sent.slice(0, 1))
    .map(({ expression }) => `(${expression})::text`).join(", ");
  const toCheck = (isLong: boolean) =>
    columns.flatMap(({ type }, index) =>
      sizes[index] === undefined || longTypes.has(type) !== isLong
        ? []
        : [`WHEN ${sizes[index]} > ${most} THEN json_build_array(${index}, ${known})::text`]
    );
  const isLarge = [...toCheck(true), ...toCheck(false)];
  const placeIndex = columns.findIndex(({ expression }) => expression === place);
  const isFound = place === undefined || text === undefined && placeIndex >= 0;
  const isHeaded = isLarge.length > 0 || !isFound;
  const at = place === undefined ? "'0'" : `coalesce((${place})::text, '0')`;
  const head = isLarge.length === 0 ? at : `CASE ${isLarge.join(" ")} ELSE ${at} END`;
  const fields = [...(isHeaded ? [head] : []), ...copyOf(sent)!.fields];
  return {
    statement: `COPY (SELECT ${fields.join(", ")} ${fromWhere}) TO STDOUT (${copy.options})`,
    ...{ marks: copy.marks, isHeaded, keyIndexes },
    placeIndex: isHeaded || placeIndex < 0 ? undefined : placeIndex,
  };
}
