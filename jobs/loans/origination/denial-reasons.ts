/** The principal reasons of Regulation B's sample form C-1: a code, and what the applicant reads. */
export const DENIAL_REASONS = {
  credit_application_incomplete: 'Credit application incomplete',
  insufficient_credit_references: 'Insufficient number of credit references provided',
  unable_to_verify_employment: 'Unable to verify employment',
  income_insufficient: 'Income insufficient for amount of credit requested',
  excessive_obligations: 'Excessive obligations in relation to income',
  unable_to_verify_income: 'Unable to verify income',
  length_of_residence: 'Length of residence',
  insufficient_credit_history: 'Limited credit experience',
  delinquent_credit_obligations: 'Delinquent past or present credit obligations with others',
  collection_or_judgment: 'Collection action or judgment',
  garnishment_or_foreclosure: 'Garnishment or attachment, foreclosure or repossession',
  bankruptcy: 'Bankruptcy',
  recent_inquiries: 'Number of recent inquiries on credit bureau report',
  collateral_insufficient: 'Value or type of collateral not sufficient',
  other: 'Other reasons, which we will tell you if you ask us within 60 days',
} as const;
export type DenialReason = keyof typeof DENIAL_REASONS;

export const DENIAL_CODES = Object.keys(DENIAL_REASONS) as [DenialReason, ...DenialReason[]];
