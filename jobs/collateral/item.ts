import { z } from 'zod';
import { SECURING_STATUSES } from '../../sql/collateral/items.ts';
import { countActive } from '../../sql/collateral/liens.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { assertMetadata, type CollateralType } from './metadata.ts';
import { possessionColumns } from './possession.ts';

export const COLLATERAL_STATUSES = ['active', 'released', 'liquidated', 'repossessed'] as const;
type Status = (typeof COLLATERAL_STATUSES)[number];

/** The statuses that an edit may set. `liquidateCollateral` alone sets `liquidated`. */
const EDITS: Record<Status, readonly Status[]> = {
  active: ['repossessed', 'released'],
  repossessed: ['active', 'released'],
  released: ['active'],
  liquidated: [],
};

type NewCollateral = Values & { loan_id: string; collateral_type: CollateralType };

export async function addCollateral(work: Work, input: NewCollateral): Promise<string> {
  assertMetadata(input.collateral_type, metadataOf(input));
  if (!SECURING_STATUSES.some((status) => status === input['status']))
    throw new Invalid({ status: `New collateral must be ${SECURING_STATUSES.join(' or ')}.` });
  const item = { status: 'active', ...input };
  return insert(work.tx, 'collateral_items', { ...input, ...possessionColumns(work, null, item) });
}

/**
 * Changes the given fields of an item. Throws `Conflict` if it is to be released while a lien is active.
 */
export async function changeCollateral(work: Work, id: string, changes: Values, row: Row) {
  const item = { ...row, ...changes };
  assertMetadata(item['collateral_type'] as CollateralType, metadataOf(item));
  const [from, to] = [row['status'] as Status, item['status'] as Status];
  if (to !== from && !EDITS[from].includes(to)) {
    throw collateralTransition(from, to);
  }
  if (to === 'released' && from !== to && (await countActive(work.tx, id)) > 0) throw activeLiens();
  const possession = possessionColumns(work, row, {
    ...item,
    status: to,
    collateral_type: item['collateral_type'] as CollateralType,
  });
  await update(work.tx, 'collateral_items', id, { ...changes, ...possession });
}

const metadataOf = ({ metadata }: Values) => (metadata ?? {}) as Record<string, unknown>;

type NewValuation = Values & { collateral_id: string; appraised_value: string };

export const valuationConfidence = z
  .string()
  .regex(/^(0(\.\d{1,3})?|1(\.0{1,3})?)$/, 'Must be a decimal string from "0" to "1".');

/** Adds a valuation. Its date must not be after the business date. */
export async function addValuation(work: Work, input: NewValuation): Promise<string> {
  checkValuation(work, input);
  return insert(work.tx, 'valuations', input);
}

export async function changeValuation(work: Work, id: string, changes: Values) {
  checkValuation(work, changes);
  await update(work.tx, 'valuations', id, changes);
}

/** Throws Invalid if the date of the valuation is after the business date. */
export function checkValuation({ today }: Work, { valuation_date }: Values) {
  if (typeof valuation_date === 'string' && valuation_date > today)
    throw new Invalid({ valuation_date: 'Must not be after the business date.' });
}

export const activeLiens = () =>
  new Conflict('Release the liens on this collateral first.', 'active_liens');

export const collateralTransition = (from: Status, to: Status) =>
  new Conflict(`Collateral that is ${from} cannot become ${to}.`, 'invalid_transition', {
    current_status: from,
    allowed_statuses: EDITS[from],
  });
