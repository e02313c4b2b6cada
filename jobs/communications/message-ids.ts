const OURS = /^<?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:@|$)/;
const PLUS = /\+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@/i;

/** Mail servers know a message by its Message-ID, which begins with our own id; providers repeat that alone. */
export const extractLogId = (messageId: string): string | null => OURS.exec(messageId)?.[1] ?? null;

/** What a letter answers, said by its In-Reply-To or by the address that it was sent to. */
export const extractAnsweredLogId = (inReplyTo: string, to: string): string | null =>
  extractLogId(inReplyTo) ?? PLUS.exec(to)?.[1]?.toLowerCase() ?? null;
