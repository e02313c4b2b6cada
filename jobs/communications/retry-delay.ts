/** Seconds before each repetition of a message that a provider would not take: 15 hours in all. */
const BACK_OFF_SECONDS = [60, 300, 1_800, 7_200, 43_200] as const;

/** How long to wait after this attempt; null when it was the last. */
export const retryDelaySeconds = (attempt: number): number | null =>
  BACK_OFF_SECONDS[attempt - 1] ?? null;
