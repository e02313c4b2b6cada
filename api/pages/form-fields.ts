import type { Visit } from './page.ts';

/**
 * Returns the filled-in values of these fields. Empty fields are left out, so that the endpoint reports
 * missing ones.
 */
export const filledFields = ({ form }: Visit, ...names: string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = form.values[name] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );

/** The form's idempotency key, so that a repeated submission has no second effect. */
export const formIdempotencyKey = ({ form }: Visit) => {
  const key = form.values['idempotency_key'];
  return key ? { key } : {};
};

/** Browsers do not send unchecked checkboxes. */
export const isTicked = ({ form }: Visit, name: string) => form.values[name] !== undefined;
