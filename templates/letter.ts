import type { Wording } from './wordings.ts';

/** Amounts as '1234.50', rates as fractions ('0.0699'), days as '2026-01-15'. */
export type Money = string;
export type Rate = string;
export type Day = string;

/** What every letter carries. */
export type Letter = {
  /** Of the tenant, such as en-US; its region is kept for a document in another language. */
  locale: string;
  currency: string;
  tenant: {
    name: string;
    branding: {
      /** Only a data: URI is shown, since the browser loads nothing. */
      logo_url?: string | null;
      primary_color?: string | null;
      support_email?: string | null;
      support_phone?: string | null;
    };
    /** The picture that is at the head of the letter, of those that were fetched. */
    logo_id?: string | null;
    address_lines: readonly string[];
    /** Where borrowers sign in. */
    portal_url?: string | null;
  };
  recipient: {
    name: string;
    address_lines: readonly string[];
    /** Of the address, for whoever sorts the post; letters of before have none. */
    postal_code?: string | null;
    country?: string | null;
  };
  letter_date: Day;
  loan_number: string;
  /** The tenant's own words (wordings.ts), with their version, as they were when the letter was ordered. */
  wording?: ({ id: string; version: number } & Wording) | null;
};
