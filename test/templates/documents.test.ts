import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cssText, inkColor, embeddedLogo } from '../../templates/letterhead.ts';
import { documentLanguage, renderDocument } from '../../templates/render-document.ts';
import { scanLine } from '../../templates/scan-line.ts';
import * as shown from '../../templates/samples.ts';
import { form1099c, plainLetter, tila } from './samples.ts';

const samples = { ...shown, form1099c, plainLetter, tila };

test('a statement has its amounts and typeface, and loads nothing', () => {
  const html = renderDocument('monthly_statement', 'en', samples.statement);

  for (const figure of ['$10,074.52', '-$315.68', '$72.19', '$25.00', '$9,856.03', '$656.36']) {
    expect(html).toContain(figure);
  }
  expect(html).toContain('April 15, 2026');
  expect(html).toContain('María O’Neil');
  expect(html).not.toMatch(/(src|href)="?http|url\((?!data:)|\{\{|\[object/);
});

test('Spanish letters write dates in Spanish and dollars as in the United States', () => {
  const html = renderDocument('payoff_letter', 'es-MX', samples.payoff);

  expect(html).toContain('10 de abril de 2026');
  expect(html).toContain('$9,878.76');
  expect(html).toContain('<html lang="es">');
});

test('a document without a variant in a language is in English', () => {
  const languages = [
    documentLanguage('monthly_statement', 'es'),
    documentLanguage('adverse_action_notice', 'es'),
    documentLanguage('tila_disclosure', 'fr'),
    documentLanguage('monthly_statement', 'xx'),
    documentLanguage('monthly_statement', '..'),
  ];

  expect(languages).toEqual(['es', 'es', 'en', 'en', 'en']);
});

test('every document renders without its optional values', () => {
  const { statement, tila, adverse, payoff, form1099c, plainLetter } = samples;

  const pages = [
    renderDocument('monthly_statement', 'es', {
      ...statement,
      due: { ...statement.due, next_due_date: null, past_due: '0.00' },
      activity: [],
    }),
    renderDocument('tila_disclosure', 'en', { ...tila, itemization: null }),
    renderDocument('adverse_action_notice', 'en', {
      ...adverse,
      credit_bureau: null,
      credit_score: null,
    }),
    renderDocument('payoff_letter', 'en', { ...payoff, pay_to: null }),
    renderDocument('form_1099c', 'en', form1099c),
    renderDocument('letter', 'es', plainLetter),
  ];

  for (const html of pages) expect(html).toMatch(/^<!doctype html>[\s\S]+<\/html>\s*$/);
  expect(pages[0]).toContain('No hubo movimientos');
  expect(pages[0]).not.toContain('Su cuenta está vencida');
});

test('the statement of a line shows its limit, its interest and the total of minimum payments alone', () => {
  const line = {
    days: 31,
    credit_limit: '10000.00',
    available_credit: '6350.00',
    minimum_payment: '101.14',
    interest_charge: '64.00',
    balance_subject_to_interest: '3650.00',
    charged_in_year: {
      year: '2026',
      interest: '135.22',
      fees: '30.00',
    },
    outlook: {
      months: 251,
      total: '9150.22',
    },
    grace: { is_kept: true },
  };
  const page = (language: string, outlook: typeof line.outlook | { months: null; total: null }) =>
    renderDocument('monthly_statement', language, {
      ...samples.statement,
      line: { ...line, outlook },
      is_one_page: false,
    });

  expect(page('en', line.outlook)).toContain('in about 251 months');
  expect(page('en', line.outlook)).toContain('$9,150.22');
  expect(page('en', line.outlook)).toMatch(/Total interest charged in 2026.*\$135\.22/);
  expect(page('es', line.outlook)).toContain('en unos 251 meses');
  expect(page('en', { ...line.outlook, months: 1 })).toContain('in about 1 month,');
  expect(page('en', { months: null, total: null })).toContain('you will never pay off');
  expect(page('en', line.outlook)).toContain('you pay no interest on what you drew');
  expect(page('es', line.outlook)).toContain('no pagará intereses sobre lo que retiró');
  expect(renderDocument('monthly_statement', 'en', samples.statement)).not.toContain(
    'Credit limit',
  );
});

test('a statement never offers a missing way to pay or to write', () => {
  const { branding } = samples.statement.tenant;
  const page = (language: string, contact: object) =>
    renderDocument('monthly_statement', language, {
      ...samples.statement,
      tenant: { ...samples.statement.tenant, address_lines: [], branding: contact },
    });

  expect(page('en', branding)).not.toMatch(/By mail:|address on page 1/);
  expect(page('en', branding)).toContain('<p>Write to help@harborpine.example, or call');
  expect(page('es', branding)).not.toMatch(/Por correo:|dirección de la página 1/);
  expect(page('en', {})).not.toMatch(/<p>(Write|Call)/);
});

test('a borrower who is reachable only by email gets no letter to an address', () => {
  const { tenant } = samples.payoff;
  const page = (language: string, contact: object) =>
    renderDocument('payoff_letter', language, {
      ...samples.payoff,
      tenant: { ...tenant, branding: contact },
    });

  expect(page('en', { support_email: 'a@b.example' })).toContain('questions, write to us at a@b.');
  expect(page('es', { support_email: 'a@b.example' })).toContain('preguntas, escríbanos a a@b.');
  expect(page('es', {})).toContain('preguntas, escríbanos a la dirección de arriba');
});

test('a payment slip without an address does not ask for it to show in the envelope', () => {
  const { statement } = samples;
  const page = (language: string, address_lines: readonly string[]) =>
    renderDocument('monthly_statement', language, {
      ...statement,
      pay_to: { ...statement.pay_to, address_lines },
    });

  expect(page('en', ['1 Road'])).toContain('on your check, and let this address show');
  expect(page('en', [])).toContain('on your check.');
  expect(page('es', ['1 Road'])).toContain('en su cheque y deje ver');
  expect(page('es', [])).toContain('en su cheque.');
});

test('a schedule repeats its heading on each page', () => {
  const pages = ['en', 'es'].map((said) => renderDocument('tila_disclosure', said, samples.tila));

  for (const page of pages) expect(page).toMatch(/<thead><tr><th>(Number of pay|Número de pag)/);
});

test('a past due borrower sees until when no fee is charged, and is never told that autopay is enough', () => {
  const { due } = samples.statement;
  const cure = { amount: '25.00', after: '2026-04-05' };
  const autopay = { date: '2026-04-15', amount: '656.36' };
  const page = (language: string, changed: object) =>
    renderDocument('monthly_statement', language, {
      ...samples.statement,
      due: { ...due, autopay, ...changed },
    });

  expect(page('en', { cure })).toContain('without a late fee of $25.00 is April 5, 2026.');
  expect(page('es', { cure })).toContain(
    'sin un cargo por mora de $25.00 es el 5 de abril de 2026.',
  );
  expect(page('en', { cure })).not.toContain('do not need to do anything');
  expect(page('en', { past_due: '0.00' })).toContain('You do not need to do anything.');
});

test('the check digit of a scan line detects any wrong digit', () => {
  const checked = (line: string) => {
    const [account = '', cents = '', digit] = line.split(' ');
    return scanLine(account, `${cents.slice(0, -2)}.${cents.slice(-2)}`).endsWith(` ${digit}`);
  };

  // A known valid number: 4539 1488 0343 6467.
  expect(scanLine('45391', '48803436.46')).toBe('45391 4880343646 7');
  expect(scanLine('LN-0000042', '656.36')).toBe(samples.statement.scan_line);
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Z]{0,4}-?[0-9]{1,9}$/),
      fc.integer({ min: 0, max: 10 ** 11 }),
      fc.nat(),
      fc.integer({ min: 1, max: 9 }),
      (number, cents, at, by) => {
        const line = scanLine(
          number,
          `${Math.floor(cents / 100)}.${`${cents % 100}`.padStart(2, '0')}`,
        );
        const places = [...line.matchAll(/\d/g)].map(({ index }) => index);
        const place = places[at % places.length] ?? 0;
        const wrong = `${line.slice(0, place)}${(Number(line[place]) + by) % 10}${line.slice(place + 1)}`;
        return checked(line) && !checked(wrong);
      },
    ),
  );
});

test('a letter that asks for money shows the amount, how to pay and a phone number', () => {
  const owed = {
    amount_due: '656.36',
    next_payment_date: '2026-04-15',
    past_due_amount: '315.68',
    days_past_due: 16,
    principal_balance: '9758.84',
    accrued_interest: '72.19',
    outstanding_fees: '25.00',
    total_balance: '9856.03',
  };
  const page = (language: string, more: object) =>
    renderDocument('letter', language, { ...samples.plainLetter, ...more });

  const [english, spanish] = [page('en', { owed }), page('es', { owed })];

  for (const words of [
    'Past due (oldest payment: 16 days)',
    'Amount due by April 15, 2026',
    '$315.68',
    '$72.19',
    'P.O. Box 4410',
    '555-0142',
  ])
    expect(english).toContain(words);
  expect(spanish).toContain('Vencido (pago más antiguo: 16 días)');
  const since = { owed: { ...owed, days_past_due: 1 } };
  expect(page('en', since)).toContain('Past due (oldest payment: 1 day)<');
  expect(page('es', since)).toContain('Vencido (pago más antiguo: 1 día)<');
  expect(page('en', {})).not.toContain('How to pay');
});

test('names are escaped, in the page and in its style', () => {
  const name = '</style><script>x</script>"; } body { display: none } \n\\';
  const hostile = {
    ...samples.statement,
    tenant: {
      ...samples.letter.tenant,
      name,
      branding: { primary_color: 'red;}', logo_url: 'https://x.test/a.png' },
    },
    recipient: { name, address_lines: ['{{constructor}}'] },
  };

  const html = renderDocument('monthly_statement', 'en', hostile);

  expect(html).not.toContain('<script>');
  expect(html.slice(0, html.indexOf('</style>'))).not.toContain('display: none');
  expect(html.match(/<\/style>/g)).toHaveLength(1);
  expect(html).toContain('{{constructor}}');
  expect(cssText(name)).not.toMatch(/[<>;}\n]/);
});

test('a color that is too light for paper is ignored, and so is an external logo', () => {
  const colors = [inkColor('#14506b'), inkColor('#ffff00'), inkColor('url(x)'), inkColor(null)];
  const logos = [
    embeddedLogo('data:image/png;base64,AAAA'),
    embeddedLogo('https://x.test/a.png'),
    embeddedLogo(null),
  ];

  expect(colors).toEqual(['#14506b', '#14365c', '#14365c', '#14365c']);
  expect(logos).toEqual(['data:image/png;base64,AAAA', undefined, undefined]);
});
