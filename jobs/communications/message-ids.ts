const OWN_MESSAGE_ID = /^<?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:@|$)/;
const PLUS_ADDRESS_ID = /\+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@/i;

/** Our log id from a Message-ID, which begins with it. Some providers return only that part. */
export const extractLogId = (messageId: string): string | null =>
  OWN_MESSAGE_ID.exec(messageId)?.[1] ?? null;

/** The log id that an email answers, from its In-Reply-To header or its plus address. */
export const extractAnsweredLogId = (inReplyTo: string, to: string): string | null =>
  extractLogId(inReplyTo) ?? PLUS_ADDRESS_ID.exec(to)?.[1]?.toLowerCase() ?? null;
