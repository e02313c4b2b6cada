import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { casesGuide } from '../../api/cases/cases-guide.ts';
import { CONDITIONS } from '../../jobs/cases/rules/conditions.ts';
import { EFFECTS } from '../../jobs/cases/rules/effects.ts';

test('npm run effects prints what each condition changes, with its source, as the guide shows it', () => {
  const root = new URL('../..', import.meta.url);
  const printed = execFileSync(process.execPath, ['api/cases/print-effects.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const rows = printed.trim().split('\n').slice(2);
  const cells = rows.map((row) => row.split(' | '));

  expect(cells.map(([condition]) => condition?.replace('| ', ''))).toEqual(
    CONDITIONS.map((condition) => `\`${condition}\``),
  );
  for (const [at, condition] of CONDITIONS.entries())
    expect(rows[at], condition).toContain(EFFECTS[condition].source);
  expect(rows[CONDITIONS.indexOf('stay_13')]).toBe(
    '| `stay_13` |  | no | no | no |  | no | no |  | D | bankruptcy | 11 USC 362(a); 12 CFR 1026.41(f); Metro 2 consumer information indicator |',
  );
  expect(casesGuide()).toContain(printed.trim());
});
