/** Amounts such as '1234.50', rates as fractions ('0.0699'), days such as '2026-01-15'. */
export type Money = string;
export type Rate = string;
export type Day = string;

/**
 * A tenant's own text in a document. It is added to the text that we or the law prescribe, and never
 * replaces it.
 */
export type Wording = { opening?: string | null | undefined; closing?: string | null | undefined };

/** The data that every letter has. */
export type Letter = {
  /** The tenant's locale, such as en-US. A document in another language keeps the region. */
  locale: string;
  currency: string;
  tenant: {
    name: string;
    branding: {
      /** Only a data: URI is shown, because the browser loads nothing. */
      logo_url?: string | null;
      primary_color?: string | null;
      support_email?: string | null;
      support_phone?: string | null;
    };
    /** The fetched picture that is used as the logo. */
    logo_id?: string | null;
    address_lines: readonly string[];
    /** The address where borrowers sign in. */
    portal_url?: string | null;
  };
  recipient: {
    name: string;
    address_lines: readonly string[];
    /** The postal code of the address, for sorting printed mail. */
    postal_code?: string | null;
    country?: string | null;
  };
  letter_date: Day;
  loan_number: string;
  /** The tenant's wording (wordings.ts) and its version when the letter was ordered. */
  wording?: ({ id: string; version: number } & Wording) | null;
};

type Addressed = Letter['recipient'] & { estate_representative?: string | null };

/** The recipient of a letter. After a death, it goes to the estate, in care of its representative. */
export function addressee(to: Addressed, language: string): Letter['recipient'] {
  const { estate_representative: representative, ...recipient } = to;
  if (!representative) return recipient;
  const { name, address_lines } = recipient;
  return {
    ...recipient,
    name: estateOf(name, language),
    address_lines: [`c/o ${representative}`, ...address_lines],
  };
}

export const estateOf = (name: string, language: string) =>
  language === 'es' ? `Sucesión de ${name}` : `Estate of ${name}`;
