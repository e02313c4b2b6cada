import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { outlookOf } from '../../../jobs/loans/engine/outlook/outlook.ts';
import { continueReplay, fold, replay } from '../../../jobs/loans/engine/fold.ts';
import { toLoanState } from '../../../jobs/loans/engine/state.ts';
import { anyEvent, anyLife } from '../arbitraries.ts';

const RUNS = { numRuns: Number(process.env['LIVES'] ?? 300) };
vi.setConfig({ testTimeout: 180_000 });

test('continuing a history gives the same result as folding all of it, and changes no earlier result', () => {
  let times = 0;
  fc.assert(
    fc.property(anyLife, fc.array(anyEvent, { minLength: 1, maxLength: 3 }), (life, drafts) => {
      const fresh = drafts.map((draft, at): LoanEvent => ({
        ...draft,
        id: `~${at}`,
        effective_date: life.as_of,
      }));
      const run = replay(life);
      const told = toLoanState(run.position, life.as_of);
      const asTold = structuredClone(told);
      const folded = { input: life, run };
      const whole = { ...life, events: [...life.events, ...fresh] };

      const gone = continueReplay(folded, whole);

      if (gone === null) return;
      times += 1;
      const anew = replay(whole);
      expect(toLoanState(gone.position, whole.as_of)).toEqual(fold(whole));
      expect(outlookOf(gone)).toEqual(outlookOf(anew));
      expect(told).toEqual(asTold);
      // A folded run can be continued only once.
      expect(continueReplay(folded, whole)).toBeNull();
    }),
    RUNS,
  );
  expect(times).toBeGreaterThan(RUNS.numRuns / 4);
});

test('a backdated event, or one under other terms, refolds the whole history', () => {
  fc.assert(
    fc.property(anyLife, (life) => {
      const folded = () => ({ input: life, run: replay(life) });
      const { effective_date } = life.events[0] as LoanEvent;
      const early = { id: '~', kind: 'payment', effective_date, amount: '1.00' } as LoanEvent;
      const whole = { ...life, events: [...life.events, early] };
      fc.pre(effective_date < life.as_of);

      expect(continueReplay(folded(), whole)).toBeNull();
      expect(
        continueReplay(folded(), { ...life, terms: { ...life.terms, term_months: 1 } }),
      ).toBeNull();
      expect(continueReplay(folded(), { ...life, schedule: [...life.schedule] })).toBeNull();
      expect(continueReplay(folded(), { ...life, as_of: '2999-01-01' })).toBeNull();
    }),
    { numRuns: 50 },
  );
});
