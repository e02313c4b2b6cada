import { checkTemplate, type IsKnownPath } from '../../templates/check-template.ts';
import { Invalid } from '../errors.ts';

/**
 * Refuses parts of a message that may not be rendered: the first problem of each, with its place, so
 * that it is found in the editor. A part that is absent or empty is left alone.
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
