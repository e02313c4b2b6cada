import type { AccountOpeningDisclosure, TilaDisclosure } from './disclosures.ts';
import type { Day, Letter, Money, Rate } from './letter.ts';

/**
 * The data of each document. Money and rates are decimal strings ('1234.50'; a rate is a fraction,
 * '0.0699') and dates are 'YYYY-MM-DD'. Rendering formats them for the locale and leaves out the line of a
 * null or missing value.
 */
export type DocumentData = {
  monthly_statement: MonthlyStatement;
  tila_disclosure: TilaDisclosure;
  account_opening_disclosure: AccountOpeningDisclosure;
  adverse_action_notice: AdverseActionNotice;
  payoff_letter: PayoffLetter;
  form_1099c: Form1099C;
  letter: CommunicationLetter;
};
export type DocumentName = keyof DocumentData;

/** What a statement says about a bankruptcy (12 CFR 1026.41(f)). */
export type StatementInBankruptcy = {
  /** The petition is pending. Otherwise the debt was discharged. */
  is_pending: boolean;
  /** The addressee is the debtor. Otherwise another person who borrowed is. */
  is_addressee: boolean;
  /** Chapter 12 or 13: what was due before the petition, and what of it was paid since. Null: not known. */
  plan: {
    arrears: Money;
    paid_in_period: Money | null;
    paid: Money | null;
    /** A payment since the petition is missing for more than 45 days. */
    is_late: boolean;
    /** What the regular payment pays. Null: not known. */
    parts: { principal: Money; interest: Money } | null;
  } | null;
};

export type MonthlyStatement = Letter & {
  /** Whether the statement may ask for past-due payments. */
  demands: boolean;
  bankruptcy: StatementInBankruptcy | null;
  period_start: Day;
  period_end: Day;
  summary: {
    previous_balance: Money;
    /** Positive, but printed as a reduction. */
    payments: Money;
    /** Waivers and service credits, positive. */
    credits?: Money | null;
    /** Principal paid out in the period. */
    disbursements?: Money | null;
    interest: Money;
    fees: Money;
    new_balance: Money;
  };
  due: {
    /** Null if no payment is due any more. */
    next_due_date: Day | null;
    /** The total due by that day: the payment, past due amounts and unpaid fees. */
    amount_due: Money;
    regular_payment: Money;
    past_due: Money;
    fees: Money;
    days_past_due?: number;
    /** The last day of a full forbearance. Late payments are not pursued until then. */
    forbearance_until?: Day | null;
    /** The fee if the next payment is late. */
    late_fee?: { amount: Money; after: Day } | null;
    /** The first fee if the past due amount is not paid by the end of its grace period (`after`). */
    cure?: { amount: Money; after: Day } | null;
    /** The next autopay payment. */
    autopay?: { date: Day; amount: Money } | null;
  };
  loan: {
    /** The name that borrowers know. */
    product_name?: string | null;
    interest_rate: Rate;
    principal_balance: Money;
    accrued_interest: Money;
    outstanding_fees: Money;
    maturity_date: Day | null;
    remaining_payments?: number | null;
  };
  /** Only for a line that is billed by cycle (12 CFR 1026.7). */
  line?: {
    days: number;
    credit_limit: Money;
    available_credit: Money;
    minimum_payment: Money;
    interest_charge: Money;
    balance_subject_to_interest: Money;
    /**
     * Says whether draws in their grace period still bear no interest. Null if draws have no grace period
     * or nothing is due.
     */
    grace?: { is_kept: boolean } | null;
    /** The charges of the calendar year, paid or not. */
    charged_in_year?: { year: string; interest: Money; fees: Money };
    /**
     * How long repayment takes with minimum payments only, and its total cost. `months` is null if the line
     * is never repaid that way. Null if the disclosure is not required.
     */
    outlook: { months: number | null; total: Money | null } | null;
  } | null;
  /** Oldest first. */
  activity: readonly StatementActivity[];
  year_to_date?: { year: string; principal: Money; interest: Money; fees: Money; total: Money };
  /** The activity also fits on the first page. */
  is_one_page: boolean;
  /** The address for checks, printed on the payment slip. */
  pay_to: { name: string; address_lines: readonly string[] };
  /** The machine-readable line of the payment slip (scan-line.ts). */
  scan_line: string;
};

export type StatementActivity = {
  date: Day;
  description: string;
  /** Negative if it reduces the balance. */
  amount: Money;
  principal?: Money | null;
  interest?: Money | null;
  fees?: Money | null;
  balance?: Money | null;
};

/** Regulation B, 12 CFR 1002.9, and the FCRA, section 615(a). */
export type AdverseActionNotice = Letter & {
  application_date?: Day | null;
  requested_amount?: Money | null;
  /** At most four specific principal reasons, as complete sentences. */
  reasons: readonly string[];
  /**
   * Set if not all reasons are listed. The notice then says how to request them (12 CFR 1002.9(a)(2)(ii)).
   */
  reasons_on_request?: boolean;
  /** Set in a statement of the reasons that the applicant asked for. */
  statement?: { decided_on: Day } | null;
  /** Other terms that the lender offers (12 CFR 1002, appendix C, form C-4). */
  counteroffer?: { terms: string; respond_by: Day } | null;
  /** What is missing for a decision (12 CFR 1002.9(c)(2)). */
  incomplete?: { information_needed: readonly string[]; respond_by: Day } | null;
  credit_bureau?: { name: string; address: string; phone: string } | null;
  credit_score?: {
    score: number;
    date: Day;
    range_low: number;
    range_high: number;
    source: string;
    key_factors: readonly string[];
  } | null;
  /** The federal agency that administers compliance for this creditor. */
  agency: { name: string; address: string };
};

export type PayoffLetter = Letter & {
  quote_number?: string | null;
  good_through: Day;
  payoff_amount: Money;
  per_diem: Money;
  principal: Money;
  interest: Money;
  fees: Money;
  prepayment_penalty?: Money | null;
  /** Suspense and credits. Positive, but printed as a reduction. */
  credits?: Money | null;
  interest_rate: Rate;
  pay_to?: {
    name: string;
    address_lines: readonly string[];
  } | null;
  /** The tenant's instructions for wires and other transfers. */
  remittance_instructions?: string | null;
  /** Agreed changes that the amount includes. The key of each names the change. */
  agreed_changes?: readonly ({ date: Day } & Record<string, Day | boolean>)[];
  is_secured?: boolean;
};

/**
 * IRS form 1099-C, copy B for the debtor. It shows the creditor's full TIN and the last four digits of the
 * debtor's TIN.
 */
export type Form1099C = Letter & {
  form_number?: string | null;
  tax_year: string;
  is_corrected?: boolean;
  creditor_name: string;
  creditor_address: string;
  creditor_phone?: string | null;
  creditor_tin: string;
  debtor_name: string;
  debtor_address: string;
  /** Null: the debtor did not provide the number. */
  debtor_tin_last_four: string | null;
  account_number: string;
  identifiable_event_date: Day;
  amount_discharged: Money;
  interest_included?: Money | null;
  debt_description: string;
  personally_liable: boolean;
  identifiable_event_code: string;
  fair_market_value?: Money | null;
};

/** A message of the channel `letter`. `body_html` comes from `renderMessage`. */
export type CommunicationLetter = Letter & {
  subject?: string | null;
  body_html: string;
  /** The loan's amounts when the letter was written. Present if the letter asks for money. */
  owed?: AmountsOwed | null;
};

export type AmountsOwed = {
  /** The total due by the next due date, including past due amounts and unpaid fees. */
  amount_due: Money;
  next_payment_date: Day | null;
  past_due_amount: Money;
  days_past_due: number | string;
  principal_balance: Money;
  accrued_interest: Money;
  outstanding_fees: Money;
  total_balance: Money;
};
