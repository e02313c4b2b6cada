import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { phones } from '../../sql/borrowers/contacts.ts';
import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import { preferences } from '../../sql/communications/preferences.ts';
import { findConsentInForce } from '../../sql/portal/consents.ts';
import * as contacts from '../../sql/portal/contacts.ts';
import { countOwnRows } from '../../sql/portal/own-rows.ts';
import { find, findLocked, type Table } from '../../sql/table.ts';
import { update } from '../../sql/write.ts';
import { auditChange, auditUpdate } from '../audit.ts';
import { addContact, changeContact } from '../borrowers/primary-contacts.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

/** The borrower's basic data. Without an email address on file, uses the login address. */
export async function getBasicProfile({ tx }: Work, borrowerId: string, login: string) {
  const borrower = await find(tx, borrowers, borrowerId);
  if (borrower === null) throw new NotFound();
  return { ...borrower, email: borrower['email'] ?? login };
}

/** The basic data with addresses, contact preferences and the consent to text messages. */
export async function getProfile(work: Work, borrowerId: string, login: string) {
  return {
    ...(await getBasicProfile(work, borrowerId, login)),
    addresses: await contacts.listAddresses(work.tx, borrowerId),
    communication_preferences: await find(work.tx, preferences, borrowerId),
    text_message_consent: await findConsentInForce(work.tx, borrowerId, 'tcpa_sms'),
  };
}

type Changes = {
  phone?: string | null | undefined;
  language_preference?: string | undefined;
};

/** Changes the language and the primary phone number, which can be a known or a new number. */
export async function changeProfile(work: Work, borrowerId: string, changes: Changes) {
  const before = await findLocked(work.tx, borrowers, borrowerId);
  if (before === null) throw new NotFound();
  const { language_preference, phone } = changes;
  const steps = async () => {
    await update(work.tx, 'borrowers', borrowerId, { language_preference });
    return borrowerId;
  };
  await auditUpdate(work, borrowers, before, steps, { isHidden: false });
  if (phone && phone !== before['phone']) await changePhone(work, borrowerId, phone);
}

async function changePhone(work: Work, borrower_id: string, phone_number: string) {
  const known = await contacts.findPhone(work.tx, borrower_id, phone_number);
  const before = known === null ? null : await findLocked(work.tx, phones, known);
  if (before === null) {
    await assertBelowLimit(work, phones, borrower_id);
    const phone = { borrower_id, phone_number, is_primary: true };
    await auditChange(work, phones, 'create', null, () => addContact('phones')(work, phone));
    return;
  }
  const steps = async () => {
    await changeContact('phones')(work, before.id, { is_primary: true }, before);
    return before.id;
  };
  await auditUpdate(work, phones, before, steps, { isHidden: false });
}

/** Maximum rows per table, without archived ones. */
const ROWS_PER_TABLE_MAX = 20;

/** Throws Conflict if the borrower has reached the maximum of addresses, numbers or accounts. */
export async function assertBelowLimit({ tx }: Work, table: Table, borrowerId: string) {
  await lockBorrower(tx, borrowerId);
  if ((await countOwnRows(tx, table, borrowerId)) < ROWS_PER_TABLE_MAX) return;
  throw new Conflict(
    `You have reached the maximum of ${ROWS_PER_TABLE_MAX}. Contact us to add more.`,
    'limit_exceeded',
    { limit: ROWS_PER_TABLE_MAX },
  );
}
