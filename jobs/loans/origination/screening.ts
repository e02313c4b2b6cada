import { readStandings, type ScreeningStanding } from '../../../sql/borrowers/sanctions.ts';
import { readObligors, type Obligor } from '../../../sql/loans/origination/compliance.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { screeningProvider } from '../../borrowers/sanctions/provider.ts';
import { screenBorrowers } from '../../borrowers/sanctions/screen.ts';
import { Conflict } from '../../errors.ts';
import { settingsOf, type Settings } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { refusalDetails } from '../products/refusals.ts';
import { checkEach, type Finding } from './compliance-finding.ts';

/** What the sanctions screening of a loan's obligors found; null if the tenant does not screen. */
export type LoanScreening = null | 'no_list' | readonly ScreeningStanding[];

type Compliance = Settings['compliance'];

/** Screens the people who owe a loan, unless they were screened against the newest list. */
export async function screenObligors(
  work: Work,
  obligors: readonly Obligor[],
  compliance: Compliance,
): Promise<LoanScreening> {
  const provider = screeningProvider(compliance);
  if (provider === null) return null;
  const ids = obligors.map(({ borrower_id }) => borrower_id);
  const list = await screenBorrowers(work, provider, ids);
  return list === null ? 'no_list' : readStandings(work.tx, ids, list.id);
}

/**
 * Sanctions regulations of the Treasury, 31 CFR chapter V: no credit to a listed person. Messages do not say
 * what was found, because only admins may see it.
 */
export function checkSanctions({
  obligors,
  screening,
}: {
  obligors: readonly Obligor[];
  screening: LoanScreening;
}): Finding {
  if (screening === null)
    return {
      notConfigured:
        'Sanctions screening is not switched on. Set compliance.sanctions_screening to sdn_list.',
    };
  if (screening === 'no_list')
    return {
      wrong:
        'The sanctions list is not imported. An operator imports it with npm run ops -- sanctions-list.',
    };
  const standings = new Map(screening.map((standing) => [standing.borrower_id, standing]));
  return checkEach(obligors, ({ borrower_id }, who) => {
    const standing = standings.get(borrower_id);
    if (!standing?.is_screened) return { wrong: `${who} could not be screened.` };
    const isClear = standing.pending === 0 && standing.confirmed === 0;
    const message = `The screening of ${who.replace('The', 'the')} is not completed. An admin must review it.`;
    return isClear ? null : { wrong: message };
  });
}

/** Whether a possible match must block money: the check counts as a failure, and failures are enforced. */
const isScreeningEnforced = ({ hard_enforcement, checks, sanctions_screening }: Compliance) =>
  hard_enforcement &&
  (checks.ofac_screening ?? (sanctions_screening === 'off' ? 'off' : 'hard')) === 'hard';

/** Why no money may go out on a loan: its sanctions screening is not clear. Null if it may. */
export async function findScreeningBlocker(work: Work, loan: RawLoan): Promise<Conflict | null> {
  const { compliance } = await settingsOf(work.tx);
  if (!isScreeningEnforced(compliance)) return null;
  const obligors = await readObligors(work.tx, loan.id);
  const screening = await screenObligors(work, obligors, compliance);
  const finding = checkSanctions({ obligors, screening });
  if (finding === null) return null;
  const [message = ''] = Object.values(finding) as string[];
  return new Conflict(
    'The loan fails a compliance check. See failed_checks.',
    'compliance_failed',
    { ...refusalDetails(loan), failed_checks: [{ code: 'ofac_screening', message }] },
  );
}
