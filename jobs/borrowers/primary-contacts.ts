import * as primary from '../../sql/borrowers/primary-contacts.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { recordAudit, recordDisplaced } from '../audit.ts';
import { Conflict, Invalid } from '../errors.ts';
import { assertTimeZone } from '../time-zones.ts';
import type { Work } from '../work.ts';
import { RETURNED_MAIL_INDICATOR } from './returned-mail.ts';

type Contact = Values & { is_primary?: boolean | undefined };

/** The required fields of a new contact, by table. */
type Needs = {
  addresses: { street_line_1: string };
  emails: { email: string };
  phones: { phone_number: string };
};
type NewContact<Contacts extends primary.ContactTable> = Contact &
  Needs[Contacts] & { borrower_id: string };

/**
 * Adds a contact. Each borrower has one primary contact per table (for addresses: per type): the first one,
 * until another one replaces it in the same transaction. Throws Conflict for a duplicate.
 */
export const addContact =
  <Contacts extends primary.ContactTable>(contacts: Contacts) =>
  async (work: Work, input: NewContact<Contacts>): Promise<string> => {
    const contact = contactColumns(contacts, input);
    const { borrower_id: borrowerId } = input;
    await primary.lockBorrower(work.tx, borrowerId);
    await assertNew(work, contacts, borrowerId, contact, null);
    const type = contact['address_type'];
    const isMissing = !(await primary.hasPrimary(work.tx, contacts, borrowerId, type));
    const is_primary = isMissing || input.is_primary === true;
    if (is_primary) await clearPreviousPrimary(work, contacts, borrowerId, type, null);
    return insert(work.tx, contacts, { ...contact, is_primary });
  };

/** The columns of a new contact, with its defaults. Throws Invalid. */
export function contactColumns(contacts: primary.ContactTable, input: Values): Values {
  const contact: Values = { ...input };
  for (const [name, value] of Object.entries(DEFAULTS[contacts](input))) contact[name] ??= value;
  assertValidContact(contact);
  return contact;
}

/** Default values. Mobile phones can receive texts. */
const DEFAULTS: Record<primary.ContactTable, (contact: Values) => Values> = {
  addresses: () => ({ address_type: 'mailing', country: 'US' }),
  emails: () => ({}),
  phones: ({ phone_type }) => ({ can_sms: (phone_type ?? 'mobile') === 'mobile' }),
};

/**
 * Changes a contact; its borrower is already locked. If it stops being primary or changes its type, the
 * next contact becomes primary. An only contact stays primary.
 */
export const changeContact =
  (contacts: primary.ContactTable) =>
  async (work: Work, id: string, changes: Contact, row: Row) => {
    assertValidContact(changes, row);
    const borrowerId = String(row['borrower_id']);
    // An archived contact cannot be primary.
    if (row['is_archived'] === true)
      return update(work.tx, contacts, id, { ...changes, is_primary: false });
    const isOther = primary.IDENTIFYING_COLUMNS[contacts].some((name) =>
      isChanged(name, changes, row),
    );
    if (isOther) await assertNew(work, contacts, borrowerId, { ...row, ...changes }, id);
    const type = changes['address_type'] ?? row['address_type'];
    const wants = (changes.is_primary ?? row['is_primary']) === true;
    const successor = wants
      ? null
      : await primary.findNextPrimary(work.tx, contacts, borrowerId, type, id);
    const is_primary = successor === null;
    if (is_primary) await clearPreviousPrimary(work, contacts, borrowerId, type, id);
    const news = isOther ? resetStatusColumns(contacts, changes, row) : {};
    await update(work.tx, contacts, id, { ...changes, ...news, is_primary });
    if (successor) await markAsPrimary(work, contacts, borrowerId, successor);
    if (row['is_primary'] === true && type !== row['address_type'])
      await promoteNextContact(work, contacts, row);
  };

const isChanged = (name: string, changes: Contact, row: Row) =>
  changes[name] !== undefined && (changes[name] ?? '') !== (row[name] ?? '');

/** A changed number or address has no known status: neither verified nor failed. */
function resetStatusColumns(contacts: primary.ContactTable, changes: Contact, row: Row): Values {
  if (contacts === 'addresses') return clearReturnedMail(changes, row);
  const failed = ['bounced', 'invalid', 'reassigned'].includes(String(row['status']));
  const isSame = (changes['status'] ?? row['status']) === row['status'];
  return {
    is_verified: false,
    verified_at: null,
    ...(failed && isSame && { status: 'active' }),
  };
}

/** A changed address loses its returned-mail mark, even if a form sends the mark back. */
const clearReturnedMail = (changes: Contact, row: Row): Values =>
  row['address_indicator'] === RETURNED_MAIL_INDICATOR &&
  (changes['address_indicator'] ?? RETURNED_MAIL_INDICATOR) === RETURNED_MAIL_INDICATOR
    ? { address_indicator: null }
    : {};

async function assertNew(
  { tx }: Work,
  contacts: primary.ContactTable,
  borrowerId: string,
  contact: Values,
  except: string | null,
) {
  const id = await primary.findDuplicateContact(tx, contacts, borrowerId, contact, except);
  if (id === null) return;
  throw contactExists(contacts, id);
}

export function contactExists(contacts: keyof typeof CONTACT_NAMES, id: string) {
  const message = `The borrower already has this ${CONTACT_NAMES[contacts]} on file.`;
  return new Conflict(message, 'already_exists', { id });
}
const CONTACT_NAMES = { addresses: 'address', emails: 'email address', phones: 'number' };

function assertValidContact(contact: Contact, row: Values = {}) {
  assertTimeZone(contact['time_zone']);
  assertState(contact, row);
}

/** A US state is a two-letter code. Regions of other countries have at most ten characters. */
export function assertState({ state, country }: Values, row: Values = {}) {
  if (typeof state !== 'string') return;
  const isHere = (country ?? row['country'] ?? 'US') === 'US';
  if (isHere && !/^[A-Z]{2}$/.test(state))
    throw new Invalid({ state: 'Must be a two-letter code like NY.' });
  if (state.length > 10) throw new Invalid({ state: 'Must be at most 10 characters.' });
}

async function clearPreviousPrimary(
  work: Work,
  contacts: primary.ContactTable,
  borrower_id: string,
  type: unknown,
  by: string | null,
) {
  const ids = await primary.clearPrimaryContact(work.tx, contacts, borrower_id, type, by);
  await recordDisplaced(work, contacts, ids, 'is_primary', { borrower_id });
}

/** Archives a contact, because letters refer to it. If it was primary, the next contact becomes primary. */
export const removeContact =
  (contacts: primary.ContactTable) => async (work: Work, id: string, row: Row) => {
    await update(work.tx, contacts, id, { is_archived: true, is_primary: false });
    if (row['is_primary'] === true) await promoteNextContact(work, contacts, row);
  };

/** Makes the next contact of the same table (and address type) primary. */
async function promoteNextContact(work: Work, contacts: primary.ContactTable, row: Row) {
  const borrowerId = String(row['borrower_id']);
  const successor = await primary.findNextPrimary(
    work.tx,
    contacts,
    borrowerId,
    row['address_type'],
    row.id,
  );
  if (successor) await markAsPrimary(work, contacts, borrowerId, successor);
}

async function markAsPrimary(
  work: Work,
  contacts: primary.ContactTable,
  borrower_id: string,
  { id, is_primary }: { id: string; is_primary: boolean },
) {
  if (is_primary) return;
  await primary.makePrimary(work.tx, contacts, id);
  const changes = { is_primary: { old: false, new: true } };
  await recordAudit(work, { type: contacts, id, borrower_id }, 'update', changes);
}
