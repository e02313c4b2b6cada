import { readFileSync } from 'node:fs';
import { cleanData } from './clean-data.ts';
import type { Letter } from './letter.ts';
import { inkColor } from './letterhead.ts';
import { newEngine } from './render-message.ts';

export type Email = {
  language: string;
  subject: string;
  /** The body that `renderMessage` returned for the channel `email`. */
  body: string;
  /** The unsubscribe link. Null for messages that the law requires. */
  unsubscribe_url?: string | null;
  tenant: Pick<Letter['tenant'], 'name' | 'branding'> & { address_lines?: readonly string[] };
};

const REFUSE = { en: 'Unsubscribe', es: 'Cancelar la suscripción' };

let page: HandlebarsTemplateDelegate | undefined;

/**
 * Renders a message as a complete HTML page. The sender's name is at the top and its postal address at the
 * bottom, which the law requires for commercial mail (16 CFR 316).
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
