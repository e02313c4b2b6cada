import type { Day, Letter, Money, Rate } from './letter.ts';

/** Regulation Z, 12 CFR 1026.18. */
export type TilaDisclosure = Letter & {
  apr: Rate;
  finance_charge: Money;
  amount_financed: Money;
  total_of_payments: Money;
  /** Equal payments in a row make one line. */
  payment_schedule: readonly { number: number; amount: Money; first_due: Day; every: string }[];
  itemization?: {
    paid_to_borrower: Money;
    /** What pays the balance that the loan had before. */
    credited_to_account?: Money | null;
    paid_to_others: readonly { name: string; amount: Money }[];
    prepaid_finance_charge: Money;
  } | null;
  /** Whole sentences. */
  prepayment: string;
  /** Null where there is nothing to tell: the box holds only what is related to the disclosures (1026.17(a)). */
  late_charge: string | null;
  security_interest: string | null;
  variable_rate?: string | null;
  is_estimate?: boolean;
  interest_rate: Rate;
  principal_amount: Money;
};

/** What a fee is for, and what it costs. */
export type FeeLine = { name: string; words: string };

/** Regulation Z, 12 CFR 1026.6(b): the terms on which a line of credit is opened. */
export type AccountOpeningDisclosure = Letter & {
  apr: Rate;
  credit_limit: Money;
  /** What is left of the limit, where the fees of the opening take much of it. */
  available_credit?: Money | null;
  interest_rate: Rate;
  /** Where interest is earned by the day: a day's part of the rate, and of how many. */
  daily_rate: Rate | null;
  days_of_year: string | null;
  has_leap_years: boolean;
  /** How the balance is computed: each day's; else the first one, or that of a period's begin. */
  is_daily: boolean;
  is_flat: boolean;
  has_grace: boolean;
  /** Of a line that is billed by cycle. */
  cycle: {
    due_days: number;
    minimum: { percentage: Rate; floor_amount: Money; plus_interest_and_fees: boolean };
  } | null;
  /** Of a line that repays what is drawn by instalments. */
  plan: { term_months: number; every: string } | null;
  fees: Record<'opening' | 'transactions' | 'penalties' | 'others', readonly FeeLine[]>;
  /** Whole sentences; null where there is nothing to tell. */
  prepayment: string | null;
  security_interest: string | null;
};
