import type { Big } from 'big.js';
import { toCents, type Rounding } from '../../money.ts';
import { divideRounded, unitsPerOne } from './minor-units.ts';

/**
 * Interest in whole cents. Accrued interest is a sum of amounts with ten decimal places, so it can miss a whole cent
 * by a few units of the last place. That matters only to `down`, which would lose the cent: it first rounds to eight
 * places. That is enough for a hundred equal errors in a row, and mistakes one fraction in two million for a whole cent.
 * `app.earned_on` in SQL must do the same.
 */
const EXACT_PLACES = 8;

export const interestToCents = (accrued: Big, mode: Rounding): Big =>
  toCents(mode === 'down' ? accrued.round(EXACT_PLACES, 1) : accrued, mode);

/** The same for integers, in units of the tenth decimal place. Returns cents. */
export const interestUnitsToCents = (accrued: bigint, mode: Rounding = 'half_up'): bigint =>
  mode === 'down'
    ? divideRounded(divideRounded(accrued, UNITS_OF_EXACT), EXACT_PER_CENT, mode)
    : divideRounded(accrued, UNITS_PER_CENT, mode);

const ACCRUED_PLACES = 10;
const UNITS_PER_CENT = unitsPerOne(ACCRUED_PLACES - 2);
const UNITS_OF_EXACT = unitsPerOne(ACCRUED_PLACES - EXACT_PLACES);
const EXACT_PER_CENT = unitsPerOne(EXACT_PLACES - 2);
