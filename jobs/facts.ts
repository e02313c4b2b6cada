import { z } from 'zod';

/** A field as a field denial names it, for example `loans.interest_rate`. */
export type FactName = `${string}.${string}`;

/** The OpenAPI and JSON Schema keyword that lists the facts a field reveals. */
export const DERIVED_FROM = 'x-derived-from';

/**
 * Marks a field that repeats, contains or allows a reader to compute another field. A user who is denied
 * the source is also denied the marked field.
 */
export const derivedFrom = <Field extends z.ZodType>(
  field: Field,
  ...sources: readonly FactName[]
): Field => field.meta({ ...field.meta(), [DERIVED_FROM]: sources });

/** The facts revealed by the fields that `value` sets, for example in search criteria. */
export function sourcesOfSetFields({ shape }: z.ZodObject, value: object): FactName[] {
  const given = Object.entries(value).filter(([, own]) => own !== undefined && own !== null);
  return given.flatMap(([name]) => sourcesOfField(shape[name] as z.ZodType | undefined));
}

/** The sources of one field. Looks through optional, nullable and read-only wrappers. */
export function sourcesOfField(field: z.ZodType | undefined): readonly FactName[] {
  const marked = field?.meta()?.[DERIVED_FROM] as readonly FactName[] | undefined;
  if (marked || field === undefined) return marked ?? [];
  const { innerType } = field.def as { innerType?: z.ZodType };
  return innerType ? sourcesOfField(innerType) : [];
}
