/**
 * The phrases to which a borrower agrees in the portal. Texts: express consent to automated messages (47 CFR
 * 64.1200(a)(1) and (f)(9)), with the frequency, rates, HELP and STOP of CTIA's Messaging Principles and Best
 * Practices, section 5.1. Autopay: 12 CFR 1005.10(b).
 */
export const CONSENT_PHRASES = {
  autopay: 'autopay.agree',
  tcpa_sms: 'consent.texts',
  email: 'consent.email',
  marketing: 'consent.marketing',
} as const;
