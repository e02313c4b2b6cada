/** A borrower's `bankruptcy_status` by the condition that it names. */
export const BANKRUPTCY_STATUS = {
  stay_7: 'chapter_7_petition',
  stay_11: 'chapter_11_petition',
  stay_12: 'chapter_12_petition',
  stay_13: 'chapter_13_petition',
  stay_unknown: 'unknown_chapter_petition',
  discharged_7: 'chapter_7_discharged',
  discharged_11: 'chapter_11_discharged',
  discharged_12: 'chapter_12_discharged',
  discharged_13: 'chapter_13_discharged',
  discharged_unknown: 'unknown_chapter_discharged',
  reaffirmed: 'chapter_7_reaffirmed',
  dismissed_7: 'chapter_7_dismissed',
  dismissed_11: 'chapter_11_dismissed',
  dismissed_12: 'chapter_12_dismissed',
  dismissed_13: 'chapter_13_dismissed',
  dismissed_unknown: 'unknown_chapter_dismissed',
} as const;
export type BankruptcyCondition = keyof typeof BANKRUPTCY_STATUS;
export type BankruptcyStatus = (typeof BANKRUPTCY_STATUS)[BankruptcyCondition];
export const BANKRUPTCY_STATUSES = Object.values(BANKRUPTCY_STATUS);
