import type { MILITARY_DATABASES, MILITARY_RESULTS } from '../../sql/borrowers/military-reports.ts';
import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import { insert, update } from '../../sql/write.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type NewReport = {
  borrower_id: string;
  database: (typeof MILITARY_DATABASES)[number];
  result: (typeof MILITARY_RESULTS)[number];
  status_date: string;
  active_duty_from?: string | null | undefined;
  active_duty_until?: string | null | undefined;
  certificate_id: string;
  document_id?: string | null | undefined;
};

/** Records a status report of a military database. Throws Invalid if the parts contradict each other. */
export async function addMilitaryReport(work: Work, input: NewReport): Promise<string> {
  assertConsistent(work, input);
  await lockBorrower(work.tx, input.borrower_id);
  return insert(work.tx, 'military_reports', { ...input, created_by: work.actor.id });
}

function assertConsistent({ today }: Work, report: NewReport) {
  const { database, result, status_date, active_duty_from, active_duty_until } = report;
  if (status_date > today) throw new Invalid({ status_date: 'Must not be in the future.' });
  if (database === 'scra' && result === 'covered')
    throw new Invalid({ result: 'Must be active_duty or none for the scra database.' });
  if (database === 'mla' && result === 'active_duty')
    throw new Invalid({ result: 'Must be covered or none for the mla database.' });
  for (const [name, day] of Object.entries({ active_duty_from, active_duty_until })) {
    if (day && result !== 'active_duty')
      throw new Invalid({ [name]: 'Is only allowed with the result active_duty.' });
  }
  if (active_duty_from && active_duty_from > status_date)
    throw new Invalid({ active_duty_from: 'Must not be after status_date.' });
  if (active_duty_until && active_duty_until < status_date)
    throw new Invalid({ active_duty_until: 'Must not be before status_date.' });
}

/** Archives a report that was entered by mistake. It no longer counts. */
export const archiveMilitaryReport = ({ tx }: Work, id: string) =>
  update(tx, 'military_reports', id, { is_archived: true });
