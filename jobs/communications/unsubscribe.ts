import { timingSafeEqual } from 'node:crypto';
import * as outbound from '../../sql/communications/outbound.ts';
import { NotFound } from '../errors.ts';
import type { Keys } from '../sealing/secrets.ts';
import type { Work } from '../work.ts';
import { isMandatory } from './contact-rules.ts';
import { applyOptRequest } from './preferences.ts';
import type { LetterFigures } from './message-figures.ts';

type EmailedMessage = {
  id: string;
  template_type: string | null;
  is_answer: boolean;
  letter: LetterFigures;
};

/**
 * The unsubscribe page for an email, or null for mandatory notices, answers and tenants without a domain.
 * The link names the email, not the recipient, and does not expire.
 */
export function unsubscribeUrl(
  keys: Keys,
  tenant_id: string,
  { id, template_type, is_answer, letter }: EmailedMessage,
): string | null {
  const { portal_url } = letter.tenant;
  if (isMandatory(template_type) || is_answer || !portal_url) return null;
  const [signature] = keys.signatures(signedText(tenant_id, id));
  return `${portal_url}/unsubscribe?token=${id}.${signature}`;
}

/**
 * Stops all email to the address that this link's email went to, for every borrower who uses it.
 * Idempotent. The link is sufficient proof (RFC 8058).
 */
export async function unsubscribe(work: Work, token: string) {
  const [id = '', signature = '', ...rest] = token.split('.');
  const { keys } = work.installation;
  const isOurs = keys
    .signatures(signedText(work.tenant_id, id))
    .some((expected) => isSame(signature, expected));
  if (!isOurs || rest.length > 0) throw new NotFound();
  const from = await outbound.findMailAddress(work.tx, id);
  if (from === null) throw new NotFound();
  await applyOptRequest(work, 'email', {
    from,
    body: 'Unsubscribed by the link in a mail',
    wants: false,
  });
}

const signedText = (tenant_id: string, id: string) => `unsubscribe ${tenant_id} ${id}`;

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
