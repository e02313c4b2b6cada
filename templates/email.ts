import { readFileSync } from 'node:fs';
import { cleanData } from './clean-data.ts';
import type { Letter } from './letter.ts';
import { inkColor } from './letterhead.ts';
import { newEngine } from './render-message.ts';

export type Email = {
  language: string;
  subject: string;
  /** What renderMessage made for the channel email. */
  body: string;
  /** Where no more of them are asked for; none where the law demands this one. */
  unsubscribe_url?: string | null;
  tenant: Pick<Letter['tenant'], 'name' | 'branding'> & { address_lines?: readonly string[] };
};

/** What the link at the foot says, in the language of the mail. */
const REFUSE = { en: 'Unsubscribe', es: 'Cancelar la suscripción' };

let page: HandlebarsTemplateDelegate | undefined;

/**
 * A rendered message as a whole page for a mail reader: the name of the sender on top, its postal
 * address below, which the law asks of commercial mail (16 CFR 316).
 */
export function renderEmail(email: Email): string {
  page ??= newEngine().compile(readFileSync(new URL('./email.html', import.meta.url), 'utf8'));
  const { body, tenant } = email;
  return page(
    Object.assign({}, cleanData(email), {
      body,
      ink: inkColor(tenant.branding.primary_color),
      refuse: email.language.startsWith('es') ? REFUSE.es : REFUSE.en,
    }),
  );
}
