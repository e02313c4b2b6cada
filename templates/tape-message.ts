import { readFileSync } from 'node:fs';
import { cleanData, oneLine } from './clean-data.ts';
import { extractPart } from './text-parts.ts';
import { newEngine } from './render-message.ts';

type TapeLetter = {
  locale: string;
  currency: string;
  time_zone: string;
  tape: { name: string; as_of_date: string; row_count: number; principal_balance: string };
  /** The download link. Missing if the file is attached. */
  link?: { url: string; expires_at: string };
};

let compiled: Record<'subject' | 'email', HandlebarsTemplateDelegate> | undefined;

/** Renders the mail that sends a loan tape to the tenant's addresses: the subject and the HTML body. */
export function renderTapeMessage(letter: TapeLetter): { subject: string; body: string } {
  compiled ??= compile();
  const values = cleanData(letter);
  return { subject: oneLine(compiled.subject(values)), body: compiled.email(values) };
}

function compile() {
  const text = readFileSync(new URL('./tapes/tape_ready.html', import.meta.url), 'utf8');
  const engine = newEngine();
  return {
    subject: engine.compile(extractPart(text, 'subject') ?? '', { noEscape: true }),
    email: engine.compile(extractPart(text, 'email') ?? ''),
  };
}
