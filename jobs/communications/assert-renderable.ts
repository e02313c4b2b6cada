import { checkTemplate, type IsKnownPath } from '../../templates/check-template.ts';
import { Invalid } from '../errors.ts';

/**
 * Throws Invalid if a part of a message cannot be rendered, with the first problem of each part and its
 * line and column. Missing and empty parts are valid.
 */
export function assertRenderable(
  parts: Readonly<Record<string, string | null | undefined>>,
  knows?: IsKnownPath,
) {
  const errors: Record<string, string> = {};
  for (const [part, source] of Object.entries(parts)) {
    const [problem] = source ? checkTemplate(source, knows) : [];
    if (!problem) continue;
    const { line, column, message } = problem;
    errors[part] = `Line ${line}, column ${column}: ${message}`;
  }
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}
