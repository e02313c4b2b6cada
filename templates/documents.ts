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

type Money = string;
type Rate = string;
type Day = string;

/** What every letter carries. */
export type Letter = {
  /** Of the tenant, such as en-US; its region is kept for a document in another language. */
  locale: string;
  currency: string;
  tenant: {
    name: string;
    branding: {
      /** Only a data: URI is shown, since the browser loads nothing. */
      logo_url?: string | null;
      primary_color?: string | null;
      support_email?: string | null;
      support_phone?: string | null;
    };
    address_lines: readonly string[];
    /** Where borrowers sign in. */
    portal_url?: string | null;
  };
  recipient: { name: string; address_lines: readonly string[] };
  letter_date: Day;
  loan_number: string;
};

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
    late_fee?: { amount: Money; after: Day } | null;
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

/** Regulation B, 12 CFR 1002.9, and the FCRA, section 615(a). */
export type AdverseActionNotice = Letter & {
  application_date?: Day | null;
  requested_amount?: Money | null;
  /** At most four principal reasons, as sentences. */
  reasons: readonly string[];
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
  owed?: Owed | null;
};

export type Owed = {
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
