/** How a message goes to a borrower. */
export const CHANNELS = ['email', 'sms', 'letter', 'in_app'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Those that a provider carries, who also brings what borrowers write and tells what has arrived. */
export const PROVIDER_CHANNELS = ['email', 'sms'] as const satisfies readonly Channel[];
export type ProviderChannel = (typeof PROVIDER_CHANNELS)[number];
