import { dictionary } from '../../sql/dictionary.ts';

/** Nouns that do not follow from the schema name. */
const NOUNS = dictionary<string>({
  CoBorrower: 'co-borrower',
  CreditReportingFile: 'credit reporting file',
  CreditReportingFinding: 'credit reporting finding',
  Form1099C: 'form 1099-C',
  IdentityProvider: 'identity provider',
  LegalRepresentative: 'legal representative',
  ListedLoanTape: 'loan tape',
  NachaEntry: 'Nacha entry',
  NachaFile: 'Nacha file',
  PromiseToPay: 'promise to pay',
  SftpServer: 'SFTP server',
  WebhookSubscription: 'webhook subscription',
});
const PLURALS = dictionary<string>({
  'form 1099-C': 'forms 1099-C',
  'promise to pay': 'promises to pay',
});

/** The trade's verb for creating such a record. Default: "Create". */
const CREATE_VERBS = dictionary<string>({
  Address: 'Add',
  AutopayPlan: 'Set up',
  BorrowerConsent: 'Record',
  BorrowerIdentity: 'Add',
  BusinessDetail: 'Add',
  CaseMessage: 'Add',
  AdverseActionNotice: 'Record',
  CoBorrower: 'Add',
  CollateralItem: 'Add',
  CreditDispute: 'Record',
  Deferment: 'Grant',
  Disbursement: 'Record',
  Draw: 'Make',
  Email: 'Add',
  Fee: 'Assess',
  Forbearance: 'Grant',
  LegalRepresentative: 'Add',
  Lien: 'Record',
  MilitaryReport: 'Record',
  LoanAssignment: 'Record',
  Modification: 'Propose',
  Note: 'Add',
  ObjectGrant: 'Add',
  Payment: 'Record',
  PaymentInstrument: 'Add',
  PaymentPlan: 'Agree on',
  Phone: 'Add',
  PromiseToPay: 'Record',
  ServiceCredit: 'Grant',
  ServicingFeeRate: 'Add',
  SettlementInstrument: 'Add',
  UserPermission: 'Add',
  Valuation: 'Record',
});

const nounOf = (name: string): string =>
  NOUNS[name] ?? name.replace(/\B[A-Z]/g, ' $&').toLowerCase();

function pluralOf(noun: string): string {
  if (PLURALS[noun]) return PLURALS[noun];
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, 'ies');
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

const withArticle = (noun: string) => `${/^(?:[aeio]|SFTP)/i.test(noun) ? 'an' : 'a'} ${noun}`;

/** Returns "a loan" or "an address". */
export const nounWithArticle = (name: string) => withArticle(nounOf(name));

/** Drops the parent's name: "a borrower's identities", although the schema is BorrowerIdentity. */
function withoutParentName(name: string, parent: string): string {
  const [noun, owner] = [nounOf(name), `${nounOf(parent)} `];
  return noun.startsWith(owner) ? noun.slice(owner.length) : noun;
}

export const listSummary = (name: string, parent?: string) =>
  parent === undefined
    ? `List ${pluralOf(nounOf(name))}`
    : `List ${nounWithArticle(parent)}'s ${pluralOf(withoutParentName(name, parent))}`;

export function createSummary(name: string, parent?: string): string {
  const verb = CREATE_VERBS[name] ?? 'Create';
  if (parent === undefined) return `${verb} ${nounWithArticle(name)}`;
  const preposition = verb === 'Add' ? 'to' : 'for';
  return `${verb} ${withArticle(withoutParentName(name, parent))} ${preposition} ${nounWithArticle(parent)}`;
}
