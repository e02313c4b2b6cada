export const INVESTOR_TYPES = [
  ...(['institutional', 'individual', 'fund', 'spv', 'bank'] as const),
  ...(['warehouse_lender', 'gse'] as const),
] as const;
export const REMITTANCE_TYPES = [
  'scheduled_scheduled',
  'scheduled_actual',
  'actual_actual',
] as const;
export const REMITTANCE_FREQUENCIES = ['daily', 'weekly', 'monthly'] as const;
