import { Big } from 'big.js';
import { dictionary } from '../../../sql/dictionary.ts';
import { lockAccounts, type LockedAccount } from '../../../sql/ledger/accounts.ts';
import { productBelongsTo } from '../../../sql/loans/products/programs.ts';
import type { Row } from '../../../sql/table.ts';
import { insert, update, type Values } from '../../../sql/write.ts';
import { Invalid } from '../../errors.ts';
import { CHART } from '../../ledger/chart.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { checkCycle } from './billing-cycle.ts';
import { assignRuleIds, type FeeRule } from './fee-rules.ts';

const LIMITS = [
  ['min_amount', 'max_amount'],
  ['min_rate', 'max_rate'],
  ['min_term_months', 'max_term_months'],
] as const;

/**
 * Default days past due before a charge-off, by loan type, from the FFIEC Uniform Retail Credit
 * Classification policy.
 */
const CHARGE_OFF_DAYS = dictionary<number>({ installment: 120, line_of_credit: 180 });

type NewProduct = Values & { code: string; loan_type: string };

/** Adds a product. Loans copy its terms when they are created, so later changes never affect them. */
export async function addProduct(work: Work, input: NewProduct): Promise<string> {
  const charge_off_dpd_threshold =
    input['charge_off_dpd_threshold'] ?? CHARGE_OFF_DAYS[input.loan_type];
  const payoff_quote_valid_days =
    input.payoff_quote_valid_days ?? (await settingsOf(work.tx)).payoff.quote_valid_days;
  const product = { ...input, charge_off_dpd_threshold, payoff_quote_valid_days };
  await check(work, product, product);
  return insert(work.tx, 'products', stored(product, []));
}

/** Changes the given fields of the product. The changes apply to loans created afterwards. */
export async function changeProduct(work: Work, id: string, changes: Values, row: Row) {
  await check(work, { ...row, ...changes }, changes);
  await update(work.tx, 'products', id, stored(changes, row['fee_rules'] as FeeRule[]));
}

/** Checks the whole product, because a changed field may conflict with an unchanged one. */
async function check(work: Work, product: Values, given: Values) {
  for (const [least, most] of LIMITS) {
    const [low, high] = [product[least], product[most]] as (string | number | null | undefined)[];
    if (isGiven(low) && isGiven(high) && new Big(low).gt(high)) {
      throw new Invalid({ [most in given ? most : least]: `${most} is below ${least}.` });
    }
  }
  await checkCycle(work, product);
  await checkAccounts(work, (given['gl_map'] ?? {}) as Record<string, string>);
}

/** Each role needs an active account of the role's type that is not a header. */
async function checkAccounts({ tx }: Work, map: Record<string, string>) {
  const known = new Map(
    (await lockAccounts(tx, Object.values(map))).map((account) => [account.id, account]),
  );
  const errors: Record<string, string> = {};
  for (const [role, id] of Object.entries(map)) {
    const reason = accountProblem(known.get(id), TYPE_OF.get(role));
    if (reason !== null) errors[`gl_map.${role}`] = reason;
  }
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

const TYPE_OF = new Map<string, string>(
  CHART.map(({ role, account_type }) => [role, account_type]),
);

function accountProblem(
  account: LockedAccount | undefined,
  type: string | undefined,
): string | null {
  if (!account) return 'Does not exist.';
  if (!account.is_active) return 'Is not active.';
  if (account.is_header) return 'Is a header, which only groups accounts.';
  return account.account_type === type ? null : `Must be an account of the type ${type}.`;
}

const isGiven = <Value>(value: Value | null | undefined): value is Value =>
  value !== null && value !== undefined;

/**
 * `allocation_order` may be a plain string (a waterfall's name), so it needs JSON encoding for its `jsonb`
 * column.
 */
function stored({ allocation_order, fee_rules, ...product }: Values, known: FeeRule[]): Values {
  return {
    ...product,
    ...(fee_rules !== undefined && { fee_rules: assignRuleIds(fee_rules as FeeRule[], known) }),
    ...(allocation_order !== undefined && { allocation_order: JSON.stringify(allocation_order) }),
  };
}

type NewProgram = Values & { code: string; program_type: string };

/** Adds a program. Its default product must belong to it, so a new program can only start without one. */
export async function addProgram(work: Work, input: NewProgram): Promise<string> {
  const id = await insert(work.tx, 'programs', input);
  await checkDefaultProduct(work, id, input);
  return id;
}

export async function changeProgram(work: Work, id: string, changes: Values) {
  await checkDefaultProduct(work, id, changes);
  await update(work.tx, 'programs', id, changes);
}

async function checkDefaultProduct({ tx }: Work, programId: string, program: Values) {
  const { default_product_id } = program as { default_product_id?: string | null };
  if (!isGiven(default_product_id)) return;
  if (!(await productBelongsTo(tx, default_product_id, programId)))
    throw new Invalid({ default_product_id: 'Is not a product of this program.' });
}
