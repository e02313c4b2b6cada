import { z } from 'zod';
import {
  consents,
  markConsentRevoked,
  REVOCATION_METHODS,
  type ConsentType,
  type Revocation,
} from '../../sql/borrowers/consents.ts';
import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import { find, type Row } from '../../sql/table.ts';
import { phoneNumber } from '../../sql/formatted-text.ts';
import { emailAddress, freeText } from '../../sql/types.ts';
import { insert, type Values } from '../../sql/write.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

type NewConsent = Values & {
  borrower_id: string;
  consent_type: ConsentType;
  granted_at?: string | null | undefined;
  expires_at?: string | null | undefined;
  contact_value?: string | null | undefined;
  source?: string | undefined;
  ip_address?: string | null | undefined;
};

/**
 * Records a consent. A consent is evidence: afterwards it can only be revoked. If the borrower consents in
 * the portal, the request's IP address is stored.
 */
export async function addConsent(work: Work, input: NewConsent): Promise<string> {
  const columns = consentColumns(work, input);
  await lockBorrower(work.tx, input.borrower_id);
  return insert(work.tx, 'borrower_consents', columns);
}

/** The columns of a new consent. Throws Invalid. */
export function consentColumns({ actor }: Pick<Work, 'actor'>, input: NewConsent): Values {
  const { granted_at, expires_at, contact_value } = input;
  const now = Date.now();
  const granted = granted_at ? Date.parse(granted_at) : now;
  if (granted > now) throw new Invalid({ granted_at: 'Must not be in the future.' });
  if (expires_at && Date.parse(expires_at) <= granted)
    throw new Invalid({ expires_at: 'Must be after the consent was granted.' });
  const isBorrower = actor.type === 'borrower';
  return {
    ...input,
    granted_at: granted_at ?? undefined,
    contact_value: contact_value ? contactFor(input.consent_type, contact_value) : null,
    source: input.source ?? (isBorrower ? 'portal' : 'agent'),
    ip_address: input.ip_address ?? (isBorrower ? actor.ip : null),
  };
}

/**
 * Normalizes the contact that a consent covers: a phone number for calls and texts, otherwise an email
 * address or a number.
 */
function contactFor(type: ConsentType, written: string): string {
  const isNumber = phoneNumber.safeParse(written).success;
  if (isNumber && type !== 'email') return written;
  if (type.startsWith('tcpa_'))
    throw new Invalid({ contact_value: 'Must be a number like +12025550123 (E.164).' });
  const address = emailAddress.safeParse(written);
  if (address.success) return address.data;
  throw new Invalid({ contact_value: 'Must be an email address or a number.' });
}

export const RevokeConsent = z.object({
  revocation_method: z
    .enum(REVOCATION_METHODS)
    .optional()
    .describe('How the borrower revoked it. Default: `agent`, or `portal` for the borrower.'),
  revocation_reason: freeText.nullish().describe('Why the borrower revoked it.'),
});

/** Revokes a consent. Throws Conflict if it is not in force. */
export async function revokeConsent(
  { tx, actor }: Work,
  id: string,
  { revocation_method, revocation_reason }: z.output<typeof RevokeConsent>,
) {
  const consent = await find(tx, consents, id);
  if (consent === null) throw new NotFound();
  assertGranted(consent);
  const revocation: Revocation = {
    method: revocation_method ?? (actor.type === 'borrower' ? 'portal' : 'agent'),
    reason: revocation_reason ?? null,
  };
  await markConsentRevoked(tx, id, revocation);
}

function assertGranted({ status }: Row) {
  if (status === 'granted') return;
  throw consentEnded(String(status));
}

export const consentEnded = (status: string) =>
  new Conflict(`The consent is already ${status}.`, 'invalid_transition', {
    current_status: status,
    allowed_actions: [],
  });
