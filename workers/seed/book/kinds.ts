/** What happens to a loan of the book, or to its borrower, apart from payments. */
export type Story =
  | 'accelerated'
  | 'application_approved'
  | 'application_canceled'
  | 'application_denied'
  | 'application_pending'
  | 'autopay'
  | 'bankruptcy'
  | 'bounced_autopay'
  | 'bounced_payment'
  | 'car_loan'
  | 'case_open'
  | 'case_resolved'
  | 'charged_off'
  | 'co_borrower'
  | 'deferment'
  | 'disputed'
  | 'do_not_contact'
  | 'equipment_loan'
  | 'forbearance'
  | 'frozen'
  | 'hardship_application'
  | 'interest_only'
  | 'line_of_credit'
  | 'matured'
  | 'modified_rate'
  | 'modified_term'
  | 'new_loan'
  | 'non_accrual'
  | 'none'
  | 'overpaid'
  | 'paid_off'
  | 'payment_plan'
  | 'payoff_quote'
  | 'promise_to_pay'
  | 'promotion'
  | 'slow_payer';

export type Kind = {
  story: Story;
  /** The number of the last installments that the borrower does not pay. */
  missed: number;
};

const late = (missed: number, story: Story = 'none'): Kind => ({ story, missed });
const current = (story: Story = 'none'): Kind => ({ story, missed: 0 });

/** One loan in every state. Missing one installment means 1 to 29 days past due, two 30 to 59, and so on. */
const ONE_OF_EACH: readonly Kind[] = [
  ...[1, 2, 3, 4, 5, 6, 7].map((missed) => late(missed)),
  ...(['application_pending', 'application_approved', 'application_denied'] as const).map(current),
  ...(['application_canceled', 'new_loan', 'autopay', 'bounced_autopay'] as const).map(current),
  ...(['bounced_payment', 'car_loan', 'equipment_loan', 'interest_only'] as const).map(current),
  ...(['line_of_credit', 'promotion', 'co_borrower', 'case_open', 'case_resolved'] as const).map(
    current,
  ),
  ...(['deferment', 'frozen', 'overpaid', 'paid_off', 'payoff_quote', 'slow_payer'] as const).map(
    current,
  ),
  late(1, 'promise_to_pay'),
  late(1, 'matured'),
  late(1, 'modified_rate'),
  late(1, 'disputed'),
  late(2, 'forbearance'),
  late(2, 'payment_plan'),
  late(2, 'modified_term'),
  late(2, 'bankruptcy'),
  late(2, 'hardship_application'),
  late(2, 'do_not_contact'),
  late(4, 'accelerated'),
  late(5, 'non_accrual'),
  late(6, 'charged_off'),
];

/** Most loans of a lender: paid on time, with a car, by autopay, late by some days. */
const USUAL: readonly Kind[] = [
  current(),
  current('autopay'),
  current(),
  current('car_loan'),
  current('slow_payer'),
  current(),
  current('autopay'),
  current('line_of_credit'),
  current(),
  current('equipment_loan'),
  late(1),
  current(),
  current('new_loan'),
  current(),
  late(2),
  current(),
];

export const BOOK_MIN = ONE_OF_EACH.length;
export const BOOK_MAX = 2_000;

/** The kinds of so many loans: one of each, then usual ones. Every hundredth loan starts over. */
export const kindOf = (index: number): Kind => {
  const place = index % 100;
  return ONE_OF_EACH[place] ?? (USUAL[(place - ONE_OF_EACH.length) % USUAL.length] as Kind);
};
