import type { Visit } from './page.ts';

/** What was filled in of these fields; an empty one says nothing, and is required where it has to be there. */
export const filledFields = ({ form }: Visit, ...names: string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = form.values[name] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );

/** The key of the form, so that what it orders is done once. */
export const formIdempotencyKey = ({ form }: Visit) => {
  const key = form.values['idempotency_key'];
  return key ? { key } : {};
};

/** A tick box sends nothing where it is not ticked. */
export const isTicked = ({ form }: Visit, name: string) => form.values[name] !== undefined;
