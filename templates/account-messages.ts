import { readFileSync } from 'node:fs';
import { extractPart } from './text-parts.ts';

export const ACCOUNT_MESSAGES = [
  'invitation',
  'password_reset',
  'password_changed',
  'second_factor_added',
  'second_factor_removed',
  'recovery_code_used',
  'wrong_codes',
  'provider_link_asked',
  'provider_linked',
  'webhook_disabled',
] as const;
export type AccountMessage = (typeof ACCOUNT_MESSAGES)[number];

type Language = 'en' | 'es';

const read = new Map<string, { subject: string; body: string }>();

/**
 * The messages about a user's own account. Tenants cannot change them, because some contain a link that
 * sets a password.
 */
export function accountMessage(name: AccountMessage, language: Language) {
  const file = language === 'en' ? `${name}.html` : `${language}/${name}.html`;
  const kept = read.get(file);
  if (kept) return kept;
  const text = readFileSync(new URL(`./accounts/${file}`, import.meta.url), 'utf8');
  const message = {
    subject: extractPart(text, 'subject') ?? '',
    body: extractPart(text, 'email') ?? '',
  };
  read.set(file, message);
  return message;
}
