import * as primary from '../../sql/borrowers/primary-contacts.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { recordAudit, recordDisplaced } from '../audit.ts';
import { Conflict, Invalid } from '../errors.ts';
import { assertTimeZone } from '../time-zones.ts';
import type { Work } from '../work.ts';
import { RETURNED_MAIL_INDICATOR } from './returned-mail.ts';

type Contact = Values & { is_primary?: boolean | undefined };

/** What a new contact cannot do without, by where it is kept. */
type Needs = {
  addresses: { street_line_1: string };
  emails: { email: string };
  phones: { phone_number: string };
};
type NewContact<Contacts extends primary.ContactTable> = Contact &
  Needs[Contacts] & { borrower_id: string };

/**
 * One primary contact per borrower (and type of address): a record is it where there is none, and a
 * new primary takes the place of the old one in the same transaction. The same one twice is refused.
 */
export const addContact =
  <Contacts extends primary.ContactTable>(contacts: Contacts) =>
  async (work: Work, input: NewContact<Contacts>): Promise<string> => {
    const contact: Values = { ...input };
    for (const [name, value] of Object.entries(DEFAULTS[contacts](input))) contact[name] ??= value;
    check(contact);
    const { borrower_id: borrowerId } = input;
    await primary.lockBorrower(work.tx, borrowerId);
    await assertNew(work, contacts, borrowerId, contact, null);
    const type = contact['address_type'];
    const isMissing = !(await primary.hasPrimary(work.tx, contacts, borrowerId, type));
    const is_primary = isMissing || input.is_primary === true;
    if (is_primary) await displace(work, contacts, borrowerId, type, null);
    return insert(work.tx, contacts, { ...contact, is_primary });
  };

/** What a contact is where nothing else is said; whoever has a mobile phone can be sent texts. */
const DEFAULTS: Record<primary.ContactTable, (contact: Values) => Values> = {
  addresses: () => ({ address_type: 'mailing', country: 'US' }),
  emails: () => ({}),
  phones: ({ phone_type }) => ({ can_sms: (phone_type ?? 'mobile') === 'mobile' }),
};

/**
 * The row comes with its borrower locked. Where the primary one steps back, or becomes another type's,
 * the next takes its place; the only one stays what it is.
 */
export const changeContact =
  (contacts: primary.ContactTable) =>
  async (work: Work, id: string, changes: Contact, row: Row) => {
    check(changes, row);
    const borrowerId = String(row['borrower_id']);
    // What is archived is nobody's primary.
    if (row['is_archived'] === true)
      return update(work.tx, contacts, id, { ...changes, is_primary: false });
    const isOther = primary.IDENTIFYING_COLUMNS[contacts].some((name) =>
      differs(name, changes, row),
    );
    if (isOther) await assertNew(work, contacts, borrowerId, { ...row, ...changes }, id);
    const type = changes['address_type'] ?? row['address_type'];
    const wants = (changes.is_primary ?? row['is_primary']) === true;
    const heir = wants
      ? null
      : await primary.findNextPrimary(work.tx, contacts, borrowerId, type, id);
    const is_primary = heir === null;
    if (is_primary) await displace(work, contacts, borrowerId, type, id);
    const news = isOther ? unproven(contacts, changes, row) : {};
    await update(work.tx, contacts, id, { ...changes, ...news, is_primary });
    if (heir) await succeed(work, contacts, borrowerId, heir);
    if (row['is_primary'] === true && type !== row['address_type'])
      await succeedOf(work, contacts, row);
  };

const differs = (name: string, changes: Contact, row: Row) =>
  changes[name] !== undefined && (changes[name] ?? '') !== (row[name] ?? '');

/** Of another number or address nothing is known yet: neither that it works nor that it does not. */
function unproven(contacts: primary.ContactTable, changes: Contact, row: Row): Values {
  if (contacts === 'addresses') return anew(changes, row);
  const failed = ['bounced', 'invalid', 'reassigned'].includes(String(row['status']));
  const isSame = (changes['status'] ?? row['status']) === row['status'];
  return {
    is_verified: false,
    verified_at: null,
    ...(failed && isSame && { status: 'active' }),
  };
}

/** Mail came back from the place that it was, and not from the one that it is now; whoever sends all of it back says it too. */
const anew = (changes: Contact, row: Row): Values =>
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
  const id = await primary.findDuplicate(tx, contacts, borrowerId, contact, except);
  if (id === null) return;
  const what = { addresses: 'address', emails: 'email address', phones: 'number' }[contacts];
  throw new Conflict(`The borrower already has this ${what} on file.`, 'already_exists', { id });
}

/** A zone is one that clocks know, and a state is written as its country writes it. */
function check(contact: Contact, row: Values = {}) {
  assertTimeZone(contact['time_zone']);
  assertState(contact, row);
}

/** A state of the United States has its two letters; what other countries have is at most ten. */
export function assertState({ state, country }: Values, row: Values = {}) {
  if (typeof state !== 'string') return;
  const isHere = (country ?? row['country'] ?? 'US') === 'US';
  if (isHere && !/^[A-Z]{2}$/.test(state))
    throw new Invalid({ state: 'Must be a code of two letters like NY.' });
  if (state.length > 10) throw new Invalid({ state: 'Must be at most 10 characters.' });
}

async function displace(
  work: Work,
  contacts: primary.ContactTable,
  borrower_id: string,
  type: unknown,
  by: string | null,
) {
  const ids = await primary.clearPrimary(work.tx, contacts, borrower_id, type, by);
  await recordDisplaced(work, contacts, ids, 'is_primary', { borrower_id });
}

/** Deleting archives, because letters went there; of a primary that leaves, the next takes the place. */
export const removeContact =
  (contacts: primary.ContactTable) => async (work: Work, id: string, row: Row) => {
    await update(work.tx, contacts, id, { is_archived: true, is_primary: false });
    if (row['is_primary'] === true) await succeedOf(work, contacts, row);
  };

/** The next contact of its kind (and type of address) is primary in the place of this one. */
async function succeedOf(work: Work, contacts: primary.ContactTable, row: Row) {
  const borrowerId = String(row['borrower_id']);
  const heir = await primary.findNextPrimary(
    work.tx,
    contacts,
    borrowerId,
    row['address_type'],
    row.id,
  );
  if (heir) await succeed(work, contacts, borrowerId, heir);
}

async function succeed(
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
