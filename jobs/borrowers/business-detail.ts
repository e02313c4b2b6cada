import Big from 'big.js';
import * as details from '../../sql/borrowers/business-details.ts';
import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type Input = Values & {
  beneficial_owners?: { ownership_percentage: string }[] | undefined;
  formation_date?: string | null | undefined;
};
type NewDetail = Input & { borrower_id: string; legal_name: string; entity_type: string };

/** Adds the details of a business borrower. Throws Conflict if there are details already. */
export async function addBusinessDetail(work: Work, input: NewDetail): Promise<string> {
  assertValidDetails(work, input);
  await lockBorrower(work.tx, input.borrower_id);
  const id = await details.findByBorrower(work.tx, input.borrower_id);
  if (id !== null) {
    throw detailsExist(id);
  }
  return insert(work.tx, 'business_details', input);
}

export async function changeBusinessDetail(work: Work, id: string, changes: Input) {
  assertValidDetails(work, changes);
  await update(work.tx, 'business_details', id, changes);
}

/** The formation date cannot be in the future, and the owners cannot hold more than 100 percent. */
function assertValidDetails({ today }: Work, { beneficial_owners = [], formation_date }: Input) {
  if (formation_date && formation_date > today)
    throw new Invalid({ formation_date: 'Must not be in the future.' });
  const owned = beneficial_owners.reduce(
    (sum, { ownership_percentage }) => sum.plus(ownership_percentage),
    new Big(0),
  );
  if (owned.gt(1))
    throw new Invalid({ beneficial_owners: 'Together the owners hold more than 100 percent.' });
}

export const detailsExist = (id: string) =>
  new Conflict(
    'This business already has its details on file. Update those instead.',
    'already_exists',
    { id },
  );
