import { addDays, addMonths } from '../../jobs/dates.ts';
import { nextRandom, pickRandom, seedRandom } from './random.ts';
import type { Client } from './client.ts';
import { productFor } from './demo-tenant.ts';
import type { TapeRow } from './read-tape.ts';

const VEHICLES = [
  { make: 'Toyota', model: 'Corolla' },
  { make: 'Honda', model: 'Civic' },
  { make: 'Ford', model: 'Escape' },
];
const MACHINES = [
  { manufacturer: 'Hobart', model: 'Mixer HL200' },
  { manufacturer: 'Haas', model: 'Mill VF-2' },
];

/** The share of liens that were filed years ago for an earlier loan and lapse within 180 days. */
const LAPSING = 0.4;

/** Adds a loan's collateral and its lien: a car, or a small business's machine. */
export async function pledgeCollateral(officer: Client, row: TapeRow, loan_id: string) {
  const product = productFor(row);
  if (product === 'PERSONAL' || row.status !== 'active') return;
  const random = seedRandom(`security ${row.loan_number}`);
  const isCar = product === 'AUTO';
  const item = {
    loan_id,
    collateral_type: isCar ? 'vehicle' : 'equipment',
    estimated_value: row.principal_amount,
    metadata: isCar
      ? { ...pickRandom(random, VEHICLES), year: 2015 }
      : pickRandom(random, MACHINES),
  };
  const { id } = await officer.post<{ id: string }>('/collateral', item, `item-${row.loan_number}`);
  const lapses =
    nextRandom(random) < LAPSING
      ? addDays(row.origination_date, 60 + Math.floor(nextRandom(random) * 200))
      : addMonths(row.origination_date, 60);
  const lien = {
    lien_type: isCar ? 'security_agreement' : 'ucc1',
    filing_number: `F-${row.loan_number}`,
    filing_date: addMonths(lapses, -60),
    expiration_date: lapses,
    filing_jurisdiction: row.borrower_state,
    lien_position: 1,
  };
  await officer.post(`/collateral/${id}/liens`, lien, `lien-${row.loan_number}`);
}
