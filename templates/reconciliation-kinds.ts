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
  boarded_interest: {
    name: 'Interest at the boarding',
    explanation:
      'The loan was boarded with other unpaid interest than the other system counts since the last paid due date.',
  },
  paid_through: {
    name: 'Paid-through date',
    explanation: 'The loan was boarded as paid through another due date.',
  },
  due_day: {
    name: 'Day of the due date',
    explanation: 'The file states no day of the month, so the due dates here fall on another day.',
  },
  paid_to_date: {
    name: 'Paid to date',
    explanation: 'The balances agree, but the payments so far have another sum or last day.',
  },
  status: {
    name: 'Status',
    explanation: 'The balances agree, but the systems give the loan another status.',
  },
  not_kept: {
    name: 'Figure not kept',
    explanation:
      'The file states zero for all loans, so the other system does not keep the figure.',
  },
  other_meaning: {
    name: 'Figure with another meaning',
    explanation:
      'In the whole file, the figure means something else, such as a balance with its interest.',
  },
  inconsistent: {
    name: 'Inconsistent file',
    explanation: 'The file contradicts itself: a total is not the sum of its parts.',
  },
  unknown: {
    name: 'Unknown',
    explanation: 'No single change and no pair of changes explains all figures of the loan.',
  },
  missing_loan: { name: 'Missing loan', explanation: 'Only one of the systems has the loan.' },
  not_compared: {
    name: 'Not compared',
    explanation: 'The file states no figure of the loan, or its figures cannot be computed here.',
  },
  partly_compared: {
    name: 'Partly compared',
    explanation:
      'The file has days or figures that were not compared, because they are not known here.',
  },
} as const;

type Kind = keyof typeof RECONCILIATION_KINDS;

export const isReconciliationKind = (kind: string): kind is Kind =>
  Object.hasOwn(RECONCILIATION_KINDS, kind);
