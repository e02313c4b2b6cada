import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { containsPattern, table } from '../../table.ts';

export const products = table({
  name: 'products',
  rows: sql.fragment`
    select record.id, record.program_id, record.name, record.public_name, record.code, record.is_active,
           record.loan_type, record.currency, record.min_amount, record.max_amount,
           trim_scale(record.min_rate) as min_rate, trim_scale(record.max_rate) as max_rate,
           record.min_term_months, record.max_term_months, record.interest_method,
           record.day_count, record.payment_frequency, record.amortization,
           record.balloon_amount, record.first_payment_rule, record.min_days_to_first_payment,
           record.allocation_order, record.extra_payment_to, record.rounding_mode,
           record.installment_rounding, record.installment_calculation, record.fee_rules,
           record.late_fee_grace_days, record.delinquency_grace_days,
           record.default_dpd_threshold, record.charge_off_dpd_threshold,
           record.non_accrual_dpd_threshold, record.small_balance_tolerance,
           record.payoff_quote_valid_days, record.prepayment_penalty,
           record.minimum_payment, record.cycle_day, record.payment_due_days, record.grace_on_purchases,
           record.max_deferments_per_12m, record.max_modifications, record.rescission_days,
           record.metro2_portfolio_type, record.metro2_account_type, record.gl_map,
           record.metadata, record.is_archived, record.created_at, record.updated_at
    from products as record
  `,
  search: (words) => sql.fragment`
    row.name ilike ${containsPattern(words)} or row.code ilike ${containsPattern(words)}
  `,
});

const ProductRow = z.looseObject({
  id: z.string(),
  is_active: z.boolean(),
  is_archived: z.boolean(),
});

/** The current product, for the terms of a new loan; null if the tenant has no such product. */
export const readProduct = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(ProductRow)`
    select product.*, trim_scale(min_rate) as min_rate, trim_scale(max_rate) as max_rate
    from products as product where id = ${id}
  `);
