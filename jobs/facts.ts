import { z } from 'zod';

/** A field as a denial names it: `loans.interest_rate`. */
export type FactName = `${string}.${string}`;

/** The keyword of OpenAPI and JSON Schema under which a field names the facts that it tells. */
export const DERIVED_FROM = 'x-derived-from';

/**
 * Marks a field that repeats, contains or lets a reader compute a field of another name. A user who is
 * denied the source is denied the marked field as well.
 */
export const derivedFrom = <Field extends z.ZodType>(
  field: Field,
  ...sources: readonly FactName[]
): Field => field.meta({ ...field.meta(), [DERIVED_FROM]: sources });

/** The facts that the marked fields of an object tell where the value sets them, such as criteria. */
export function sourcesOfSetFields({ shape }: z.ZodObject, value: object): FactName[] {
  const given = Object.entries(value).filter(([, own]) => own !== undefined && own !== null);
  return given.flatMap(([name]) => sourcesOfField(shape[name] as z.ZodType | undefined));
}

/** The sources of one field, also where it is optional, nullable or read-only. */
export function sourcesOfField(field: z.ZodType | undefined): readonly FactName[] {
  const marked = field?.meta()?.[DERIVED_FROM] as readonly FactName[] | undefined;
  if (marked || field === undefined) return marked ?? [];
  const { innerType } = field.def as { innerType?: z.ZodType };
  return innerType ? sourcesOfField(innerType) : [];
}
