import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { assertState } from './primary-contacts.ts';

type Input = Values & {
  representative_type?: string | undefined;
  effective_date?: string | undefined;
  end_date?: string | null | undefined;
  contact_through_representative?: boolean | undefined;
};
type NewRep = Input & {
  borrower_id: string;
  representative_type: string;
  first_name: string;
  last_name: string;
};

/**
 * Adds a legal representative. Default: effective today. With an attorney, the borrower is contacted only
 * through the representative unless the request says otherwise.
 */
export async function addLegalRep(work: Work, input: NewRep): Promise<string> {
  const {
    effective_date = work.today,
    contact_through_representative = input.representative_type === 'attorney',
  } = input;
  const rep = { ...input, effective_date, contact_through_representative };
  assertValidRep(rep);
  return insert(work.tx, 'legal_reps', rep);
}

export async function changeLegalRep({ tx }: Work, id: string, changes: Input, row: Row) {
  assertValidRep({ ...row, ...changes });
  await update(tx, 'legal_reps', id, changes);
}

/** Archives the representative, so that the period of representation remains documented. */
export const removeLegalRep = ({ tx }: Work, id: string) =>
  update(tx, 'legal_reps', id, { is_archived: true, is_active: false });

function assertValidRep(rep: Input) {
  const { effective_date, end_date } = rep;
  if (effective_date && end_date && end_date < effective_date)
    throw new Invalid({ end_date: 'Must not be before effective_date.' });
  assertState(rep);
}
