import type { Kind } from './kinds.ts';

/** The files whose records other files name by a key. */
export type Referred =
  'programs' | 'products' | 'borrowers' | 'loans' | 'bank_accounts' | 'collateral';

type ColumnOptions = {
  /**
   * The file that has a record with this key, unless the tenant has it already. Without `borrowers.csv`, the rows of
   * `loans.csv` are the borrowers.
   */
  refers_to?: Referred;
  /**
   * The value is a personal number, such as a social security number. It is stored encrypted and never appears in a
   * finding or a log.
   */
  is_personal_number?: boolean;
  /** The column is required if the book does not have this file. */
  required_without?: 'borrowers';
};

/** A column of a book file. */
export type Column<Value = unknown, Required extends boolean = boolean> = Kind<Value> & {
  is_required: Required;
  /** What the column holds, its unit, and what an empty field means. */
  description: string;
  refers_to: Referred | null;
  is_personal_number: boolean;
  required_without: 'borrowers' | null;
};

const column = <Value, Required extends boolean>(
  kind: Kind<Value>,
  is_required: Required,
  description: string,
  { refers_to, is_personal_number = false, required_without }: ColumnOptions,
): Column<Value, Required> => ({
  ...kind,
  is_required,
  description,
  refers_to: refers_to ?? null,
  is_personal_number,
  required_without: required_without ?? null,
});

/** A column whose field must not be empty. */
export const required = <Value>(
  kind: Kind<Value>,
  description: string,
  options: ColumnOptions = {},
): Column<Value, true> => column(kind, true, description, options);

/** A column that may be missing or empty. */
export const optional = <Value>(
  kind: Kind<Value>,
  description: string,
  options: ColumnOptions = {},
): Column<Value, false> => column(kind, false, description, options);

export type Columns = Readonly<Record<string, Column>>;

/** One file of a book. */
export type BookFile<Shape extends Columns = Columns> = {
  /** What one row is. */
  about: string;
  /** The columns that together identify a row. Empty: rows are not compared. */
  key: readonly string[];
  /** Only our own exports have it. */
  is_own_export: boolean;
  columns: Shape;
};

export const bookFile = <Shape extends Columns>(
  about: string,
  columns: Shape,
  {
    key = [],
    is_own_export = false,
  }: { key?: readonly (keyof Shape & string)[]; is_own_export?: boolean } = {},
): BookFile<Shape> => ({ about, key, is_own_export, columns });

type RequiredNames<Shape extends Columns> = {
  [Name in keyof Shape]: Shape[Name] extends Column<unknown, true> ? Name : never;
}[keyof Shape];
type ValueOf<Any> = Any extends Column<infer Value> ? Value : never;

/** A row of the file after it was read. An empty field is undefined. */
export type RowOf<File extends BookFile> = {
  [Name in RequiredNames<File['columns']>]: ValueOf<File['columns'][Name]>;
} & {
  [Name in Exclude<keyof File['columns'], RequiredNames<File['columns']>>]?:
    ValueOf<File['columns'][Name]> | undefined;
};
