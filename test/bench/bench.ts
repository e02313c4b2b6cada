import { accrual } from './accrual.ts';
import { payments } from './payments.ts';

/** `npm run bench -- NAME`: figures beside the least that any design must do, as ratios. */
const BENCHES: Record<string, () => Promise<void>> = { accrual, payments };

const name = process.argv[2] ?? '';
const bench = BENCHES[name];
if (bench) await bench();
else {
  console.error(`Which one? ${Object.keys(BENCHES).join(', ')}: npm run bench -- accrual`);
  process.exitCode = 2;
}
