import type { Day, Letter, Money, Rate } from './letter.ts';

/** Regulation Z, 12 CFR 1026.18. */
export type TilaDisclosure = Letter & {
  apr: Rate;
  finance_charge: Money;
  amount_financed: Money;
  total_of_payments: Money;
  /** Consecutive equal payments share one line. */
  payment_schedule: readonly { number: number; amount: Money; first_due: Day; every: string }[];
  itemization?: {
    paid_to_borrower: Money;
    /** The amount that pays off the loan's previous balance. */
    credited_to_account?: Money | null;
    paid_to_others: readonly { name: string; amount: Money }[];
    prepaid_finance_charge: Money;
  } | null;
  /** Complete sentences. */
  prepayment: string;
  /**
   * Null if there is no late charge. The box may contain only what is related to the disclosures
   * (1026.17(a)).
   */
  late_charge: string | null;
  security_interest: string | null;
  variable_rate?: string | null;
  is_estimate?: boolean;
  interest_rate: Rate;
  principal_amount: Money;
};

/** One fee: its purpose and its cost. */
export type FeeLine = { name: string; words: string };

/** Regulation Z, 12 CFR 1026.6(b): the terms of a new line of credit. */
export type AccountOpeningDisclosure = Letter & {
  apr: Rate;
  credit_limit: Money;
  /** The limit less the opening fees. Present if these fees use up much of the limit. */
  available_credit?: Money | null;
  interest_rate: Rate;
  /** The interest rate divided by `days_of_year`. Null unless interest accrues by the day. */
  daily_rate: Rate | null;
  days_of_year: string | null;
  has_leap_years: boolean;
  /**
   * How the balance is computed: the daily balance if `is_daily`; otherwise the principal at the start of
   * the schedule (`is_flat`) or of each payment period.
   */
  is_daily: boolean;
  is_flat: boolean;
  has_grace: boolean;
  /** Null unless the line is billed by cycle. */
  cycle: {
    due_days: number;
    minimum: { percentage: Rate; floor_amount: Money; plus_interest_and_fees: boolean };
  } | null;
  /** Null unless draws are repaid in installments. */
  plan: { term_months: number; every: string } | null;
  fees: Record<'opening' | 'transactions' | 'penalties' | 'others', readonly FeeLine[]>;
  /** Complete sentences. Null if there is nothing to disclose. */
  prepayment: string | null;
  security_interest: string | null;
};
