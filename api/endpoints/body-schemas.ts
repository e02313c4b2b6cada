import { z } from 'zod';
import type { AnyDeclaration } from './declaration.ts';

/** The body schema of a creation: every field that the server does not set itself. */
export const creationSchema = (
  { fields, writeOnly = {} }: Pick<AnyDeclaration, 'fields' | 'writeOnly'>,
  without?: string,
) =>
  z.object(
    Object.fromEntries(
      Object.entries({ ...fields, ...writeOnly }).filter(
        ([name, field]) => name !== without && !isReadonly(field),
      ),
    ),
  );

/**
 * The body schema of an update: any subset of the creation's fields without the fixed ones. Sets no
 * defaults.
 */
export const updateSchema = ({ fields, writeOnly = {}, fixed = [] }: AnyDeclaration) =>
  z.object(
    Object.fromEntries(
      Object.entries({ ...fields, ...writeOnly })
        .filter(([name, field]) => !fixed.includes(name) && !isReadonly(field))
        .map(([name, field]) => [name, withoutDefault(field).optional()]),
    ),
  );

/**
 * The fields that make up the version: those that a PUT may write and an answer returns. If a PUT may also
 * write fields that no answer returns, the time of the last change replaces them.
 */
export function versionNames(declared: AnyDeclaration): string[] {
  const { fields, writeOnly = {} } = declared;
  const written = Object.keys(updateSchema(declared).shape);
  const shown = written.filter((name) => name in fields);
  const hidden = written.filter((name) => name in writeOnly);
  return hidden.length > 0 && 'updated_at' in fields ? [...shown, 'updated_at'] : shown;
}

const definitionOf = (field: z.ZodType) => field.def as { type: string; innerType?: z.ZodType };
const isReadonly = (field: z.ZodType) => definitionOf(field).type === 'readonly';
/** Keeps the description, which may belong to the default. */
const withoutDefault = (field: z.ZodType): z.ZodType => {
  const { type, innerType } = definitionOf(field);
  if (type !== 'default' || innerType === undefined) return field;
  return field.description === undefined ? innerType : innerType.describe(field.description);
};

/** The same body schema without the given keys. */
export const omitFields = ({ shape }: z.ZodObject, ...keys: string[]) =>
  z.object(Object.fromEntries(Object.entries(shape).filter(([name]) => !keys.includes(name))));
