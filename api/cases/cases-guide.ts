import { CONDITIONS } from '../../jobs/cases/rules/conditions.ts';
import { EFFECTS, type Effects } from '../../jobs/cases/rules/effects.ts';
import { FACTS, LEGAL_TYPES, type FactType } from '../../jobs/cases/rules/facts.ts';
import { BANKRUPTCY_STATUS } from '../../sql/cases/bankruptcy-statuses.ts';
import { fieldTable, schemaOf } from '../docs/field-table.ts';

const INTRODUCTION = `# Cases with legal effect

Record a bankruptcy, active duty, a death or a similar event as a case with dated facts. The platform derives from them what is
legally in force, changes what it does with the loans, and reminds you of deadlines.

\`POST /cases\` opens a case with \`case_type\` and \`facts\`:

\`\`\`json
{
  "borrower_id": "0198f0a0-0000-7000-8000-000000000001",
  "case_type": "bankruptcy",
  "subject": "Petition under chapter 13",
  "description": "Letter of the court, scanned.",
  "facts": { "chapter": "13", "petition_date": "2030-01-10" }
}
\`\`\`

- The answer shows the \`conditions\` that follow: here \`stay_13\` and \`codebtor_stay\`, both from 2030-01-10 and without an end.
- To correct or complete the facts, send them all with \`PUT /cases/{id}\` and a \`facts_reason\`. Send If-Match, so that nobody's
  correction is lost. \`GET /cases/{id}/facts\` lists every version.
- To attach evidence, such as an identity theft affidavit of the FTC or a police report, upload the file with \`POST /documents\` (a form; a
  PDF, photo or scan) and send its id in \`document_ids\`. The borrower sees it only if you share it.
- If a date is not confirmed, give the day on which you learned of it, and name it in \`estimated_dates\`. A task asks for the true date.
- A case that should never have been opened is undone with \`opened_in_error\`: true and a \`resolution\`.
- A case is closed when its temporary conditions have an end (otherwise 409 \`conditions_open\`). A discharge, a death, a block and a demand
  to stop go on after it. The facts of a closed case can still be corrected.
- A borrower has one open bankruptcy, service and death case (409 \`already_exists\`). These types concern all loans of the person; the
  other types can be about one loan (\`loan_id\`).
- \`bankruptcy_status\`, \`military_status\`, \`is_deceased\` and \`cease_and_desist_date\` of a borrower follow from cases. Writing another value
  opens, corrects or ends a case with an estimated date. \`bankruptcy_status\` is one of STATUSES.
- \`GET /cases/{id}\` shows the \`deadlines\` that are not met. Each has a task, due some days before it lapses.
- Facts appear in no webhook, message or task. Statements and the portal say of a loan only that it is in bankruptcy. To hide them from a user, deny the field \`facts\` of \`cases\`.
`;

/** The Markdown of the guide about cases, made from the declarations of facts and effects. */
export function casesGuide(): string {
  const statuses = Object.values(BANKRUPTCY_STATUS).map((status) => `\`${status}\``);
  return [
    INTRODUCTION.replace('STATUSES', statuses.join(', ')),
    '## Facts\n',
    'Null means the same as a missing fact. Other names are refused.\n',
    ...LEGAL_TYPES.flatMap((type) => factsOf(type, type)),
    ...factsOf('dispute', 'dispute and credit_report_dispute'),
    ...factsOf('complaint', 'complaint'),
    '## Effects\n',
    'What each condition changes unless you set it otherwise in `cases.effects`. An empty cell changes nothing. Of several conditions the strictest value applies; of several indicators, the first one in this table.\n',
    effectsTable(),
  ].join('\n');
}

const factsOf = (type: FactType, title: string) => [
  `### ${title}\n`,
  fieldTable(schemaOf(FACTS[type], 'input')),
];

const COLUMNS: Readonly<Record<keyof Effects, string>> = {
  contact: 'Contact',
  collection_messages: 'Collection messages',
  late_fees: 'Late fees',
  autopay: 'Autopay',
  rate_cap: 'Rate cap',
  acceleration: 'Acceleration',
  charge_off: 'Automatic charge-off',
  sale: 'Sale',
  credit_reporting: 'Credit reporting',
  statement: 'Statements',
};

/** The table of effects for a lawyer and an accountant: one row per condition, with its legal basis. */
export function effectsTable(): string {
  const names = Object.keys(COLUMNS) as (keyof Effects)[];
  const heads = ['Condition', ...names.map((name) => COLUMNS[name]), 'Source'];
  const rows = CONDITIONS.map((condition) => {
    const effects = EFFECTS[condition];
    return [`\`${condition}\``, ...names.map((name) => cellOf(effects[name])), effects.source];
  });
  return [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

function cellOf(value: Effects[keyof Effects]): string {
  if (value === true || value === null || value === 'allowed' || value === 'regular') return '';
  return value === false ? 'no' : value.replaceAll('_', ' ');
}
