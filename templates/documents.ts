import type { AccountOpeningDisclosure, TilaDisclosure } from './disclosures.ts';
import type { Day, Letter, Money, Rate } from './letter.ts';

/**
 * What each document needs. Money and rates are decimal strings ('1234.50'; a rate is a fraction,
 * '0.0699'), dates are 'YYYY-MM-DD'; rendering formats them for the locale. What is null or
 * missing leaves its line out.
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

export type MonthlyStatement = Letter & {
  period_start: Day;
  period_end: Day;
  summary: {
    previous_balance: Money;
    /** Positive; printed as a reduction. */
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
    /** Null when nothing is due any more. */
    next_due_date: Day | null;
    /** Everything to be paid by that day: the payment, what is past due and open fees. */
    amount_due: Money;
    regular_payment: Money;
    past_due: Money;
    fees: Money;
    days_past_due?: number;
    /** The last day of a full forbearance, in which late payments are waited for. */
    forbearance_until?: Day | null;
    /** If the next payment comes late. */
    late_fee?: { amount: Money; after: Day } | null;
    /** If what is past due is not paid by the end of its grace: the first fee that follows, and the last day. */
    cure?: { amount: Money; after: Day } | null;
    /** The payment that is drawn by itself, when autopay is on. */
    autopay?: { date: Day; amount: Money } | null;
  };
  loan: {
    /** As borrowers know it. */
    product_name?: string | null;
    interest_rate: Rate;
    principal_balance: Money;
    accrued_interest: Money;
    outstanding_fees: Money;
    maturity_date: Day | null;
    remaining_payments?: number | null;
  };
  /** Of a line that is billed by cycle (12 CFR 1026.7). */
  line?: {
    days: number;
    credit_limit: Money;
    available_credit: Money;
    minimum_payment: Money;
    interest_charge: Money;
    balance_subject_to_interest: Money;
    /** Whether the draws of its grace bear no interest yet; null where draws have no grace, or nothing is due. */
    grace?: { is_kept: boolean } | null;
    /** What was charged in the calendar year, paid or not. */
    charged_in_year?: { year: string; interest: Money; fees: Money };
    /** Paying minimum payments alone takes so long and costs so much, or never repays; null where none is asked for. */
    outlook: { months: number | null; total: Money | null } | null;
  } | null;
  /** Oldest first. */
  activity: readonly StatementActivity[];
  year_to_date?: { year: string; principal: Money; interest: Money; fees: Money; total: Money };
  /** All of it is on one page, with its activity. */
  is_one_page: boolean;
  /** Where checks go, on the payment slip. */
  pay_to: { name: string; address_lines: readonly string[] };
  /** What a machine reads of the slip (scan-line.ts). */
  scan_line: string;
};

export type StatementActivity = {
  date: Day;
  description: string;
  /** What reduces the balance is negative. */
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
  /** At most four specific principal reasons, as sentences. */
  reasons: readonly string[];
  /** Not all reasons are given: the applicant may ask for them (12 CFR 1002.9(a)(2)(ii)). */
  reasons_on_request?: boolean;
  credit_bureau?: { name: string; address: string; phone: string } | null;
  credit_score?: {
    score: number;
    date: Day;
    range_low: number;
    range_high: number;
    source: string;
    key_factors: readonly string[];
  } | null;
  /** The agency that administers compliance for this creditor. */
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
  /** Unapplied money and credits, positive; printed as a reduction. */
  credits?: Money | null;
  interest_rate: Rate;
  pay_to?: {
    name: string;
    address_lines: readonly string[];
  } | null;
  /** What the tenant says about wires and the like. */
  remittance_instructions?: string | null;
  is_secured?: boolean;
};

/** IRS form 1099-C, the recipient's copy B: the creditor's whole TIN, and the last four digits of the debtor's. */
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
  debtor_tin_last_four: string;
  account_number: string;
  identifiable_event_date: Day;
  amount_discharged: Money;
  interest_included?: Money | null;
  debt_description: string;
  personally_liable: boolean;
  identifiable_event_code: string;
  fair_market_value?: Money | null;
};

/** A message of the channel letter: a body that renderMessage made. */
export type CommunicationLetter = Letter & {
  subject?: string | null;
  body_html: string;
  /** Where the letter asks for money: what is owed of the loan, as it was when the letter was written. */
  owed?: AmountsOwed | null;
};

export type AmountsOwed = {
  /** Everything to be paid by the next day on which something is due, with what is past due and open fees. */
  amount_due: Money;
  next_payment_date: Day | null;
  past_due_amount: Money;
  days_past_due: number | string;
  principal_balance: Money;
  accrued_interest: Money;
  outstanding_fees: Money;
  total_balance: Money;
};
