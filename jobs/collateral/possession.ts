import type { Values } from '../../sql/write.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import type { CollateralType } from './metadata.ts';

/** How a lender takes collateral. Credit bureaus receive each as its own account status. */
export const POSSESSIONS = [
  'repossession',
  'voluntary_surrender',
  'foreclosure',
  'deed_in_lieu',
] as const;
type Possession = (typeof POSSESSIONS)[number];

type Item = { collateral_type: CollateralType; status: string } & Values;

const POSSESSIONS_OF_LAND: readonly Possession[] = ['foreclosure', 'deed_in_lieu'];
const POSSESSIONS_OF_GOODS: readonly Possession[] = ['repossession', 'voluntary_surrender'];

/**
 * The possession columns of an item that changes. When it becomes repossessed, the business date and the usual
 * way for its type are the defaults. When the borrower gets it back, the possession ends.
 */
export function possessionColumns(work: Work, before: Values | null, after: Item): Values {
  const { status, collateral_type } = after;
  const isTaken = status === 'repossessed' && before?.['status'] !== 'repossessed';
  if (isTaken) {
    const usual = collateral_type === 'real_estate' ? 'foreclosure' : 'repossession';
    const given: Values = isNew(before, after) ? after : {};
    return checkPossession(work, collateral_type, {
      possession: given['possession'] ?? usual,
      possession_date: given['possession_date'] ?? work.today,
      possession_ended_on: null,
    });
  }
  if (isNew(before, after) && status !== 'repossessed' && status !== 'liquidated')
    throw new Invalid({ possession: 'Set the status to repossessed as well.' });
  const isReturned = status === 'active' && before?.['status'] === 'repossessed';
  if (isReturned) return { possession_ended_on: work.today };
  const { possession = null, possession_date = null } = after;
  return isNew(before, after)
    ? checkPossession(work, collateral_type, { possession, possession_date })
    : {};
}

/** Forms send back what they read, so only a changed value counts as given. */
const isNew = (before: Values | null, after: Values) =>
  ['possession', 'possession_date'].some(
    (name) => (after[name] ?? null) !== (before?.[name] ?? null),
  );

function checkPossession({ today }: Work, type: CollateralType, columns: Values): Values {
  const { possession, possession_date } = columns;
  const allowed = type === 'real_estate' ? POSSESSIONS_OF_LAND : POSSESSIONS_OF_GOODS;
  if (!allowed.includes(possession as Possession))
    throw new Invalid({
      possession: `Must be ${allowed.join(' or ')} for ${type.replace('_', ' ')}.`,
    });
  if (typeof possession_date !== 'string')
    throw new Invalid({ possession_date: 'Is required with possession.' });
  if (possession_date > today)
    throw new Invalid({ possession_date: 'Must not be after the business date.' });
  return columns;
}
