/** The portal's texts, in the order of the languages. */
export type Phrases = Readonly<Record<string, readonly [english: string, spanish: string]>>;
