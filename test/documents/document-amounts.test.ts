import Big from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printLetter } from '../../jobs/communications/print-letter.job.ts';
import { renderDocumentJob } from '../../jobs/documents/render.job.ts';
import { sql } from '../../sql/database/db.ts';
import type { DocumentName } from '../../templates/documents.ts';
import { LINE_OF_CREDIT } from '../setup/lines-of-credit.ts';
import { newLoan } from '../setup/loans.ts';
import { findUnexpectedWords, newPdfPrinter, type Language } from '../setup/pdf-printer.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import {
  arbitraryLoan,
  formatCents,
  LONG_ADDRESS,
  LONG_NAME,
  newDocumentReader,
  type DocumentReader,
} from '../setup/document-readers.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const press = newPdfPrinter(stage);
const RUNS = Number(process.env['LIVES'] ?? 1);
const LANGUAGES: readonly Language[] = ['en', 'es'];

const sum = (...amounts: string[]) =>
  amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toFixed(2);
const less = (amount: string, ...others: string[]) =>
  new Big(amount).minus(sum(...others)).toFixed(2);

/** The text of the latest document of this kind. */
async function printed({ tenant }: DocumentReader, template: DocumentName) {
  const document_id = await tenant.within(({ tx }) =>
    tx.oneFirst(sql.typeAlias('id')`
      select id from documents where template = ${template} order by id desc limit 1
    `),
  );
  await renderDocumentJob.run({ tenant_id: tenant.id, document_id }, press);
  return last();
}

const last = () => press.printed.at(-1) ?? { text: '', upon: [] };

type Told = { text: string; upon: string[]; says: readonly string[]; english?: readonly RegExp[] };

/**
 * Each kind in the order of a loan's life, with the figures that it must state according to that day's API.
 */
const KINDS: Record<DocumentName, (ground: DocumentReader) => Promise<Told>> = {
  tila_disclosure: async (ground) => {
    const { words, money, rate, day, ask, done, path, terms } = ground;
    await done(`${path}/disburse`);
    const [{ apr }, schedule] = [await ask(path), await ask(`${path}/amortization`)];
    const total = sum(...schedule.map((row: Row) => row['payment_amount']));
    return {
      ...(await printed(ground, 'tila_disclosure')),
      says: [
        ground.number,
        rate(apr),
        `${words('will cost you.', 'le costará el crédito.')} ${money(less(total, terms.principal_amount))}`,
        money(terms.principal_amount),
        `${words('as scheduled.', 'según lo programado.')} ${money(total)}`,
        money(schedule[0].payment_amount),
        `${words('beginning', 'a partir del')} ${day(schedule[0].due_date)}`,
        money(schedule.at(-1).payment_amount),
      ],
      english: [/Truth in Lending Act/g, /You may ask us for this disclosure in English\./],
    };
  },
  account_opening_disclosure: async (ground) => {
    const { words, money, rate, terms, tenant } = ground;
    const product_id = await newProduct(tenant, LINE_OF_CREDIT);
    const line = await newLoan(tenant, { ...terms, product_id, status: 'approved' });
    const { apr, credit_limit } = await ground.ask(`/loans/${line.id}`);
    const { minimum_payment, payment_due_days } = await ground.ask(`/products/${product_id}`);
    return {
      ...(await printed(ground, 'account_opening_disclosure')),
      says: [
        rate(apr),
        `${words('Credit limit', 'Límite de crédito')} ${money(credit_limit)}`,
        money(minimum_payment.floor_amount),
        rate(minimum_payment.percentage),
        words(`${payment_due_days} days after`, `${payment_due_days} días después`),
      ],
      english: [
        /Truth in Lending Act|Fair Credit Billing Act/g,
        /You may ask us for this disclosure in English\./,
      ],
    };
  },
  adverse_action_notice: async (ground) => {
    const { words, money, terms, tenant, done } = ground;
    const asked = await newLoan(tenant, { ...terms, status: 'pending' });
    await done(`/loans/${asked.id}/deny`, { reasons: ['recent_inquiries'] });
    return {
      ...(await printed(ground, 'adverse_action_notice')),
      says: [
        `${words('for credit of', 'de un crédito de')} ${money(terms.principal_amount)}`,
        'Example Agency, 1 Agency Row, Washington, DC',
      ],
      english: [/Equal Credit Opportunity Act/g, /You may ask us for this notice in English\./],
    };
  },
  monthly_statement: async (ground) => {
    const { words, money, rate, day, shortDay, ask, done, path, wish, tenant } = ground;
    const [first] = await ask(`${path}/amortization`);
    await travelTo(stage, tenant, '2026-02-20');
    const part = new Big(first.payment_amount).times(wish.paid_percent).div(100).toFixed(2);
    if (wish.paid_percent > 0) await done(`${path}/payments`, { amount: part });
    if (wish.fee_cents > 0)
      await done(`${path}/fees`, { fee_type: 'legal', amount: formatCents(wish.fee_cents) });
    await travelTo(stage, tenant, '2026-03-01');
    await runJobs(stage, {}, ['issue-statements']);
    const [loan, before] = [
      await ask(path),
      await ask(`${path}/get-balances?as_of_date=2026-02-01`),
    ];
    const [fees, payments] = [await ask(`${path}/fees`), await ask(`${path}/payments`)];
    const all = (rows: Row[], name: string) => sum(...rows.map((row) => row[name] ?? '0'));
    const applied = ['principal_applied', 'interest_applied', 'fees_applied'];
    const [principal = '', interest = '', paidFees = ''] = applied.map((name) =>
      all(payments, name),
    );
    const paid = sum(principal, interest, paidFees);
    const charged = all(fees, 'amount');
    const accrued = less(sum(loan.total_balance, paid), before.total_balance, charged);
    const minus = (amount: string) => (Number(amount) > 0 ? `-${money(amount)}` : money(amount));
    return {
      ...(await printed(ground, 'monthly_statement')),
      says: [
        ground.number,
        `${words('Amount due', 'Cantidad a pagar')} ${money(loan.amount_due)}`,
        `${words('Next due date', 'Próximo vencimiento')} ${day(loan.next_payment_date)}`,
        `${words('Previous balance', 'Saldo anterior')} ${money(before.total_balance)}`,
        `${words('Payments', 'Pagos')} ${minus(paid)} ${words('Fees', 'Cargos')} ${money(charged)}`,
        `${words('Interest', 'Intereses')} ${money(accrued)}`,
        `${words('New balance', 'Saldo nuevo')} ${money(loan.total_balance)}`,
        `${words('Past due', 'Vencido')} ${money(loan.past_due_amount)}`,
        `${words('Interest rate', 'Tasa de interés')} ${rate(loan.interest_rate)}`,
        `${words('Maturity date', 'Vencimiento final')} ${shortDay(loan.maturity_date)}`,
        `${words('Outstanding principal', 'Capital pendiente')} ${money(loan.principal_balance)}`,
        `${words('Accrued interest', 'Interés acumulado')} ${money(loan.accrued_interest)}`,
        `${words('Outstanding fees', 'Cargos pendientes')} ${money(loan.outstanding_fees)}`,
        `${words('principal', 'capital')} ${money(principal)}`,
        `${words('interest', 'intereses')} ${money(interest)}`,
        ...(paid === '0.00' ? [] : [`${shortDay('2026-02-20')} ${words('Payment', 'Pago')}`]),
        ...(charged === '0.00' ? [] : [`${words('Legal fee', 'Cargo legal')} ${money(charged)}`]),
      ],
    };
  },
  payoff_letter: async (ground) => {
    const { words, money, rate, day, ask, path, done } = ground;
    const quote = await ask(`/payoff-quotes/${(await done(`${path}/payoff-quotes`)).id}`);
    const [whole, credits] = [quote.payoff_amount_good_through, quote.credits_amount];
    const interest = less(sum(whole, credits), quote.principal_amount, quote.fees_amount);
    const { interest_rate } = await ask(path);
    return {
      ...(await printed(ground, 'payoff_letter')),
      says: [
        quote.quote_number,
        `${words('Payoff amount', 'Cantidad de liquidación')} ${money(whole)}`,
        `${words('Good through', 'Válida hasta')} ${day(quote.good_through_date)}`,
        `${words('each day after', 'día adicional')} ${money(quote.per_diem)}`,
        `${words('Principal', 'Capital')} ${money(quote.principal_amount)}`,
        `${rate(interest_rate)} ${words('a year', 'anual')} ${money(interest)}`,
        `${words('Fees', 'Cargos')} ${money(quote.fees_amount)}`,
        ...(credits === '0.00' ? [] : [`-${money(credits)}`]),
      ],
    };
  },
  letter: async (ground) => {
    const { words, money, day, ask, path, done, tenant, borrower_id, id } = ground;
    const loan = await ask(path);
    const wish = { borrower_id, loan_id: id, channel: 'letter', template_type: 'payment_reminder' };
    const sent = await done('/communications/send', wish);
    await printLetter.run({ tenant_id: tenant.id, log_id: sent.id, attempt: 1 }, press);
    const due = `${words('by', 'hasta el')} ${day(loan.next_payment_date)}`;
    return {
      ...last(),
      says: [
        ground.number,
        `${words('Amount due', 'A pagar')} ${due} ${money(loan.amount_due)}`,
        `${words('Principal', 'Capital')} ${money(loan.principal_balance)}`,
        `${words('Interest', 'Intereses')} ${money(loan.accrued_interest)}`,
        `${words('Fees', 'Cargos')} ${money(loan.outstanding_fees)}`,
        `${words('Total balance', 'Saldo total')} ${money(loan.total_balance)}`,
      ],
    };
  },
  form_1099c: async (ground) => {
    const { money, day, ask, path, done } = ground;
    const made = await done(`${path}/1099c`, {
      amount_discharged: '600.01',
      identifiable_event_code: 'G',
      identifiable_event_date: '2026-01-15',
      interest_included: '12.34',
      fair_market_value: '1234567.00',
    });
    const form = await ask(`/forms-1099c/${made.id}`);
    return {
      ...(await printed(ground, 'form_1099c')),
      says: [
        form.form_number,
        `Account number (see instructions) ${ground.number}`,
        `1 Date of identifiable event ${day(form.identifiable_event_date)}`,
        `2 Amount of debt discharged ${money(form.amount_discharged)}`,
        `3 Interest, if included in box 2 ${money(form.interest_included)}`,
        `4 Debt description ${form.debt_description}`,
        `6 Identifiable event code ${form.identifiable_event_code}`,
        `7 Fair market value of property ${money(form.fair_market_value)}`,
        `CREDITOR’S TIN 12-345${form.creditor_tin_last_four}`,
        form.creditor_address,
        form.debtor_address,
      ],
      english: [/Form 1099-C Cancellation.*(?=Instrucciones)/, /“Other income”/],
    };
  },
};
type Row = Record<string, string>;
const ADDRESSED = [
  ...Object.values(LONG_NAME),
  LONG_ADDRESS.street_line_1,
  LONG_ADDRESS.street_line_2,
  'Ponce, PR 00730',
];

for (const language of LANGUAGES)
  test(`every document in ${language} shows the figures of the API for its day, and none of our internals`, async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLoan, async (wish) => {
        const ground = await newDocumentReader(stage, language, wish);
        for (const [kind, told] of Object.entries(KINDS)) {
          const { text, upon, says, english = [] } = await told(ground);
          for (const words of [...says, ...ADDRESSED]) expect(text, kind).toContain(words);
          expect([...upon, ...findUnexpectedWords(text, language, english)], kind).toEqual([]);
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
