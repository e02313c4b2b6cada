/** The plain name and the explanation of each kind of difference between two systems. */
export const RECONCILIATION_KINDS = {
  day_count: {
    name: 'Day count',
    explanation: 'The systems count the days of a year or a month differently.',
  },
  interest_method: {
    name: 'Interest method',
    explanation: 'One system earns interest by the day, the other by the schedule.',
  },
  rounding: {
    name: 'Rounding',
    explanation: 'The systems round interest to cents differently.',
  },
  application_order: {
    name: 'Order of application',
    explanation: 'The systems pay fees, interest and principal in a different order.',
  },
  effective_date: {
    name: 'Effective date',
    explanation: 'A payment takes effect on different days.',
  },
  fee_rule: {
    name: 'Fee rule',
    explanation: 'The systems charge late fees of different amounts or on different days.',
  },
  installment: {
    name: 'Installment',
    explanation: 'The systems calculate the installment differently.',
  },
  payment_applied_elsewhere: {
    name: 'Payment applied to another installment',
    explanation:
      'The balances agree, but a payment counts for other installments or pays principal directly.',
  },
  missing_event: {
    name: 'Missing event',
    explanation: 'Only one of the systems has a payment, a fee or a reversal.',
  },
  as_of_day: {
    name: 'Interest of the day',
    explanation: 'The figures of one system include the interest of the day itself.',
  },
  several: {
    name: 'Two conventions',
    explanation: 'Two differences together explain the figures.',
  },
  unknown: {
    name: 'Unknown',
    explanation: 'No single change and no pair of changes explains the figures.',
  },
  missing_loan: { name: 'Missing loan', explanation: 'Only one of the systems has the loan.' },
  not_compared: {
    name: 'Not compared',
    explanation: 'The file states no figure of the loan, or its figures cannot be computed here.',
  },
  partly_compared: {
    name: 'Partly compared',
    explanation: 'The compared days agree, but the file has days that were not compared.',
  },
} as const;

type Kind = keyof typeof RECONCILIATION_KINDS;

export const isReconciliationKind = (kind: string): kind is Kind =>
  Object.hasOwn(RECONCILIATION_KINDS, kind);
