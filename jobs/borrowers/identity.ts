import * as identities from '../../sql/borrowers/identities.ts';
import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { recordAudit } from '../audit.ts';
import { compareDates } from '../dates.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { INDIVIDUAL_IDENTITY_TYPES, normalizeNumber, type IdentityType } from './identifier.ts';

type Input = Values & {
  identity_type?: IdentityType | undefined;
  identifier?: string | null | undefined;
  identifier_last_four?: string | null | undefined;
  issue_date?: string | null | undefined;
  expiration_date?: string | null | undefined;
  verification_status?: string | undefined;
};
type NewIdentity = Input & { borrower_id: string; identity_type: IdentityType };

/**
 * Adds an identity. A full number is sealed, may exist once per borrower, and responses show only its last
 * four characters.
 */
export async function addIdentity(work: Work, input: NewIdentity): Promise<string> {
  const { borrower_id, identity_type, identifier } = input;
  checkNewIdentity(input);
  await lockBorrower(work.tx, borrower_id);
  const numbers = await identifierColumns(work, borrower_id, identity_type, identifier, null);
  return insert(work.tx, 'borrower_identities', {
    ...withoutNumber(input),
    ...numbers,
    ...verificationColumns(work, input, { verification_status: 'unverified' }),
  });
}

function checkNewIdentity(input: Input) {
  if (!input.identifier && !input.identifier_last_four)
    throw new Invalid({ identifier_last_four: 'Is required if identifier is missing.' });
  checkDates(input);
}

/**
 * The columns of an identity of a borrower who has none yet. A verification is dated now. Throws Invalid.
 */
export function firstIdentityColumns(work: Work, input: NewIdentity): Values {
  checkNewIdentity(input);
  const { identity_type, identifier } = input;
  return {
    ...withoutNumber(input),
    ...(identifier && sealIdentifier(work, normalizeNumber(identity_type, identifier))),
    ...verificationColumns(work, input, { verification_status: 'unverified' }),
  };
}

function sealIdentifier({ tenant_id, installation: { keys } }: Work, number: string) {
  return {
    identifier_sealed: keys.seal(tenant_id, number),
    identifier_index: keys.indexes(tenant_id, number)[0],
    identifier_last_four: number.slice(-4),
  };
}

/** Changes an identity. A changed number loses its verification. */
export async function changeIdentity(work: Work, id: string, changes: Input, row: Row) {
  checkDates({ ...row, ...changes });
  const before = row as Row & { borrower_id: string; identity_type: IdentityType };
  const { identifier } = changes;
  const numbers = await identifierColumns(
    work,
    before.borrower_id,
    before.identity_type,
    identifier,
    id,
  );
  const isOther = changesLastFour(changes, before);
  await update(work.tx, 'borrower_identities', id, {
    ...withoutNumber(changes),
    // If the last four digits change without a full number, the sealed number no longer applies.
    ...(isOther && !identifier && { identifier_sealed: null, identifier_index: null }),
    ...numbers,
    ...verificationColumns(work, changes, before, isOther || Boolean(identifier)),
  });
}

/** Archives the identity, so that past verifications remain documented. */
export const removeIdentity = ({ tx }: Work, id: string) =>
  update(tx, 'borrower_identities', id, { is_archived: true });

const withoutNumber = ({ identifier: _, ...rest }: Input): Values => rest;

const changesLastFour = ({ identifier_last_four: given }: Input, before: Row) =>
  typeof given === 'string' && given !== before['identifier_last_four'];

/** The columns of a full number. Throws Conflict if the borrower has the same number already. */
async function identifierColumns(
  work: Work,
  borrowerId: string,
  type: IdentityType,
  identifier: string | null | undefined,
  except: string | null,
): Promise<Values> {
  if (!identifier) return {};
  const number = normalizeNumber(type, identifier);
  const { keys } = work.installation;
  const indexes = keys.indexes(work.tenant_id, number);
  const held = await identities.findHolders(work.tx, type, indexes);
  const own = held.find((one) => one.borrower_id === borrowerId && one.identity_id !== except);
  if (own) {
    throw identityExists(own.identity_id);
  }
  if (INDIVIDUAL_IDENTITY_TYPES.includes(type))
    await fillLastFour(work, borrowerId, number.slice(-4));
  return sealIdentifier(work, number);
}

/** Fills in the borrower's missing `ssn_last_four`. Never overwrites an entered value. */
async function fillLastFour(work: Work, borrowerId: string, lastFour: string) {
  const id = await identities.fillLastFour(work.tx, borrowerId, lastFour);
  if (id === null) return;
  const changes = { ssn_last_four: { old: null, new: '***' } };
  await recordAudit(work, { type: 'borrowers', id, borrower_id: id }, 'update', changes);
}

function verificationColumns(work: Work, input: Input, before: Values, isOther = false): Values {
  const was = before['verification_status'];
  // Forms send back the status they read. The verification of the old number does not apply to the new one.
  const wanted =
    isOther && input.verification_status === was ? undefined : input.verification_status;
  const status = wanted ?? (isOther && was === 'verified' ? 'unverified' : was);
  if (status === was) return { verification_status: status };
  const isVerified = status === 'verified';
  return {
    verification_status: status,
    verified_at: isVerified ? new Date().toISOString() : null,
    verified_by: isVerified ? work.actor.id : null,
  };
}

function checkDates({ issue_date, expiration_date }: Input) {
  if (!issue_date || !expiration_date) return;
  if (compareDates(expiration_date, issue_date) <= 0)
    throw new Invalid({ expiration_date: 'Must be after issue_date.' });
}

/** Finds the borrowers with this number. Only complete numbers match. */
export async function findBorrowersByNumber(
  { tx, tenant_id, installation }: Work,
  { identity_type, identifier }: { identity_type: IdentityType; identifier: string },
) {
  const number = normalizeNumber(identity_type, identifier);
  const indexes = installation.keys.indexes(tenant_id, number);
  const found = await identities.findHolders(tx, identity_type, indexes);
  return { borrower_ids: [...new Set(found.map(({ borrower_id }) => borrower_id))] };
}

export const identityExists = (id: string) =>
  new Conflict('The borrower already has this number on file.', 'already_exists', { id });
