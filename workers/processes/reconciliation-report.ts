import { RESULT_TEXTS } from '../../jobs/books/reconciliations/result-rows.ts';
import { openPoints } from '../../jobs/books/reconciliations/change-reconciliation.ts';
import type { StoredReconciliation } from '../../sql/books/reconciliations.ts';
import { groupDigits, textTable } from './text-table.ts';

const NAMES: Readonly<Record<string, { name: string }>> = RESULT_TEXTS;

/** What a comparison found, and what to do next, as lines for a person. */
export function reconciliationReport(run: StoredReconciliation): string[] {
  return [
    ...loanLines(run),
    '',
    `${groupDigits(String(run.days_compared))} days were compared, ${groupDigits(String(run.days_not_compared))} of the same loans were not.`,
    ...(run.loans_only_here > 0
      ? [
          `${groupDigits(String(run.loans_only_here))} other loans with a debt are here, which the file need not have. See --loans-here.`,
        ]
      : []),
    '',
    ...differenceLines(run),
    ...nextSteps(run),
    `Reconciliation ${run.id}, fingerprint ${run.fingerprint ?? ''}`,
  ];
}

const loanLines = (run: StoredReconciliation): string[] =>
  textTable(
    [
      ['Loans', ''],
      ['Agree', run.loans_agreeing],
      ['Differ by accepted kinds', run.loans_accepted],
      ['Differ', run.loans_differing],
      ['Not or only partly compared', run.loans_not_compared],
      ['All', run.loans_total],
    ].map((row) =>
      row.map((cell) => (typeof cell === 'number' ? groupDigits(String(cell)) : cell)),
    ),
  );

function differenceLines({ summary }: StoredReconciliation): string[] {
  if (summary.length === 0) return [];
  const rows = summary.map(({ kind, loans, figures, amount, is_accepted }) => [
    NAMES[kind]?.name ?? kind,
    kind,
    is_accepted ? 'yes' : 'no',
    groupDigits(String(loans)),
    groupDigits(String(figures)),
    groupDigits(amount),
  ]);
  const heading = ['Difference', 'Kind', 'Accepted', 'Loans', 'Figures', 'Amount'];
  return [
    ...textTable([heading, ...rows], 3),
    'Amount: the last figures here minus those there.',
    '',
  ];
}

function nextSteps(run: StoredReconciliation): string[] {
  const open = openPoints(run);
  if (open === null) return ['Next: another user signs the results off at /staff/reconciliations.'];
  const kinds = run.summary.flatMap(({ kind, is_accepted }) => (is_accepted ? [] : [kind]));
  return [
    `Next, because ${open}:`,
    ...(run.loans_total === 0
      ? ['  Check the file and --through: it states no figure of a loan.']
      : []),
    ...(kinds.length > 0
      ? [
          `  Read the differences: --out FILE.csv writes them, GET /reconciliations/${run.id}/differences lists them.`,
          '  Correct the loans, the products or the file, and compare again. --help explains each kind.',
          `  Accept the kinds that you know, such as --accept ${kinds.join(',')}`,
        ]
      : []),
  ];
}
