import { cents } from './by-hand.ts';

/** A page's figures: the last cell of each row by the text of its first cell. The first occurrence wins. */
export function figuresOf(html: string): Record<string, string> {
  const rows = [
    ...html.matchAll(/<tr[^>]*><td>([^<]*)<\/td><td class="number">([^<]*)<\/td><\/tr>/g),
  ];
  const named = rows.map(([, label = '', value = '']) => [label, value] as const);
  return Object.fromEntries(named.toReversed());
}

/** The amounts on a statement's page, in cents. */
export function toldBy(page: Record<string, string> = {}) {
  const amount = (label: string) => cents((page[label] ?? '0.00').replaceAll(/[^\d.]/g, ''));
  return {
    previous: amount('Previous balance'),
    disbursed: amount('Disbursements'),
    payments: amount('Payments'),
    credits: amount('Credits'),
    fees: amount('Fees'),
    interest: amount('Interest'),
    balance: amount('New balance'),
    principal: amount('Outstanding principal'),
    accrued: amount('Accrued interest'),
    open: amount('Outstanding fees'),
  };
}
