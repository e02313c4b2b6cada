import type { TilaDisclosure } from '../../templates/disclosures.ts';
import type { CommunicationLetter } from '../../templates/documents.ts';
import { letter } from '../../templates/samples.ts';

export const tila: TilaDisclosure = {
  ...letter,
  apr: '0.09127',
  finance_charge: '1464.28',
  amount_financed: '9900.00',
  total_of_payments: '11364.28',
  payment_schedule: [
    { number: 35, amount: '315.68', first_due: '2026-02-15', every: 'monthly' },
    { number: 1, amount: '315.48', first_due: '2029-01-15', every: 'once' },
  ],
  itemization: {
    paid_to_borrower: '9900.00',
    paid_to_others: [],
    prepaid_finance_charge: '100.00',
  },
  late_charge: 'If a payment is more than 10 days late, you will be charged $25.00.',
  prepayment: 'If you pay off early, you will not have to pay a penalty.',
  security_interest: 'This loan is not secured.',
  interest_rate: '0.085',
  principal_amount: '10000.00',
};

export const plainLetter: CommunicationLetter = {
  ...letter,
  subject: 'About your loan',
  body_html: '<p>Dear María O’Neil,</p><p>Your payment of $315.68 is due on April 15, 2026.</p>',
};
