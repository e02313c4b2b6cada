/** The checks before a loan is approved, in the order in which they are reported. */
export const COMPLIANCE_CHECKS = [
  'usury_rate_cap',
  'mla_36_percent',
  'scra_rate_cap',
  'ofac_screening',
  'identity_verified',
  'age_minimum',
  'esign_consent',
  'tila_disclosure_ready',
  'product_limits',
  'duplicate_application',
  'borrower_archived',
  'state_license',
] as const;
export type ComplianceCheck = (typeof COMPLIANCE_CHECKS)[number];
