import * as primary from '../../sql/borrowers/primary.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { recordDisplaced } from '../audit.ts';
import { Invalid } from '../errors.ts';
import { checkTimeZone } from '../time-zones.ts';
import type { Work } from '../work.ts';

type Contact = Values & { is_primary?: boolean | undefined };

/** What a new contact cannot do without, by where it is kept. */
type Needs = {
  addresses: { street_line_1: string };
  emails: { email: string };
  phones: { phone_number: string };
};
type NewContact<Contacts extends primary.Contacts> = Contact &
  Needs[Contacts] & { borrower_id: string };

/**
 * One primary contact per borrower (and type of address): a record is it where there is none, and a
 * new primary takes the place of the old one in the same transaction.
 */
export const addTo =
  <Contacts extends primary.Contacts>(contacts: Contacts) =>
  async (work: Work, input: NewContact<Contacts>): Promise<string> => {
    check(input);
    const { borrower_id: borrowerId } = input;
    await primary.lockBorrower(work.tx, borrowerId);
    const isMissing = !(await primary.exists(work.tx, contacts, borrowerId, input['address_type']));
    const is_primary = isMissing || input.is_primary === true;
    if (is_primary) await displace(work, contacts, borrowerId, input['address_type'], null);
    return insert(work.tx, contacts, { ...input, is_primary });
  };

/** The row comes with its borrower locked. */
export const changeIn =
  (contacts: primary.Contacts) =>
  async (work: Work, id: string, changes: Contact, row: Record<string, unknown>) => {
    check(changes, row);
    const borrowerId = String(row['borrower_id']);
    const type = changes['address_type'] ?? row['address_type'];
    // What is archived is nobody's primary; a primary that becomes another type's displaces that.
    const is_primary = row['is_archived'] !== true && (changes.is_primary ?? row['is_primary']);
    if (is_primary === true) await displace(work, contacts, borrowerId, type, id);
    await update(work.tx, contacts, id, { ...changes, is_primary });
  };

/** A state of the United States has its two letters; what other countries have is at most ten. */
function check({ time_zone, state, country }: Contact, row: Record<string, unknown> = {}) {
  checkTimeZone(time_zone);
  if (typeof state !== 'string') return;
  const isHere = (country ?? row['country'] ?? 'US') === 'US';
  if (isHere && !/^[A-Z]{2}$/.test(state))
    throw new Invalid({ state: 'Must be a code of two letters like NY.' });
  if (state.length > 10) throw new Invalid({ state: 'Must be at most 10 characters.' });
}

async function displace(
  work: Work,
  contacts: primary.Contacts,
  borrower_id: string,
  type: unknown,
  by: string | null,
) {
  const ids = await primary.clear(work.tx, contacts, borrower_id, type, by);
  await recordDisplaced(work, contacts, ids, 'is_primary', { borrower_id });
}

/** Deleting archives, because letters went there; a primary that leaves is primary no more. */
export const removeFrom = (contacts: primary.Contacts) => (work: Work, id: string) =>
  update(work.tx, contacts, id, { is_archived: true, is_primary: false });
