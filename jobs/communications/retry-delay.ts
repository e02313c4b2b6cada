/** Seconds before each retry of a message after a temporary refusal: 15 hours in total. */
const BACK_OFF_SECONDS = [60, 300, 1_800, 7_200, 43_200] as const;

/** Seconds to wait after this attempt, or null if it was the last. */
export const retryDelaySeconds = (attempt: number): number | null =>
  BACK_OFF_SECONDS[attempt - 1] ?? null;
