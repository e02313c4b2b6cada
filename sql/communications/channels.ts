export const CHANNELS = ['email', 'sms', 'letter', 'in_app'] as const;
export type Channel = (typeof CHANNELS)[number];

/**
 * Channels that an external provider sends through. The provider also posts inbound messages and delivery
 * receipts.
 */
export const PROVIDER_CHANNELS = ['email', 'sms'] as const satisfies readonly Channel[];
export type ProviderChannel = (typeof PROVIDER_CHANNELS)[number];
