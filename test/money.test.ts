import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { excessOver, isEqual, isLess, max, min, minus, plus, sum } from '../jobs/money.ts';

const anyFigure = fc
  .tuple(fc.bigInt({ min: -2_000_000n, max: 2_000_000n }), fc.integer({ min: 0, max: 10 }))
  .map(([digits, places]) => new Big(digits.toString()).div(new Big(10).pow(places)));
/** Numbers with a common prefix, such as 1 and 1.05, and zero with either sign. */
const anyNear = fc
  .tuple(
    fc.constantFrom('0', '-0', '1', '-1', '10', '0.1'),
    fc.constantFrom('0', '0.05', '-0.05', '0.5'),
  )
  .map(([figure, more]) => (more === '0' ? new Big(figure) : new Big(figure).plus(more)));
const any = fc.oneof(anyFigure, anyNear);

test('units compare as big.js compares', () => {
  fc.assert(
    fc.property(any, any, any, (one, other, third) => {
      expect(isLess(one, other)).toBe(one.lt(other));
      const [least, , most] = [one, other, third].toSorted((first, second) => first.cmp(second));
      expect(min(one, other, third).eq(least ?? '')).toBe(true);
      expect(max(one, other, third).eq(most ?? '')).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('units add and subtract as big.js does, null included', () => {
  fc.assert(
    fc.property(any, any, any, (one, other, third) => {
      const was = [one, other].map((figure) => figure.toFixed());

      expect(plus(one, other).eq(one.plus(other))).toBe(true);
      expect(minus(one, other).eq(one.minus(other))).toBe(true);
      expect(sum([one, other, third]).eq(one.plus(other).plus(third))).toBe(true);
      expect(excessOver(one, other).eq(one.gt(other) ? one.minus(other) : 0)).toBe(true);
      expect(isEqual(one, other)).toBe(one.eq(other));
      expect([one, other].map((figure) => figure.toFixed())).toEqual(was);
    }),
    { numRuns: 2_000 },
  );
});
