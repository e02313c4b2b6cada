import { describe, expect, test } from 'vitest';
import { readBirthDates } from '../../jobs/borrowers/sanctions/birth-dates.ts';
import {
  listedForms,
  organizationForms,
  personForms,
} from '../../jobs/borrowers/sanctions/names.ts';
import { readSdnList, SdnFileError } from '../../jobs/borrowers/sanctions/read-sdn.ts';
import { REVIEW_SCORE, scoreMatch } from '../../jobs/borrowers/sanctions/score.ts';
import { sdnFiles } from '../setup/sdn-list.ts';

const scoreOf = (
  forms: readonly string[],
  listed: readonly string[],
  { born, dates }: { born?: string; dates?: string } = {},
) => {
  const birth_dates = readBirthDates(dates === undefined ? null : `DOB ${dates}`);
  return scoreMatch({ forms, date_of_birth: born ?? null }, { forms: listed, birth_dates }).score;
};
const personScore = (given: string, family: string, listed: string, dates = {}) =>
  scoreOf(personForms(given, family), listedForms('person', listed), dates);

describe('a person is reviewed', () => {
  test.each([
    ['Ivan', 'Testov', 'TESTOV, Ivan'],
    ['Ivan', 'Testov', 'TESTOV, Ivan Petrovich'],
    ['Ivan P.', 'Testov', 'TESTOV, Ivan Petrovich'],
    ['Testov', 'Ivan', 'TESTOV, Ivan'],
    ['Ivna', 'Testov', 'TESTOV, Ivan'],
    ['Ivan', 'Testof', 'TESTOV, Ivan'],
    ['Iván', 'Testóv', 'TESTOV, Ivan'],
    ['Иван', 'Тестов', 'TESTOV, Ivan'],
    ['Mohamed', 'Samplery', 'SAMPLERY, Muhammad'],
    ['Abdulrahman', 'Fictional', 'FICTIONAL, Abdul Rahman'],
    ['Abd al-Rahman', 'Fictional', 'FICTIONAL, Abd Rahman'],
    ['Sean', "O'Invented", 'OINVENTED, Sean'],
    ['Maria', 'Fabricada', 'FABRICADA MENDAZ, Maria Elena'],
  ])('%s %s, listed as %s', (given, family, listed) => {
    expect(personScore(given, family, listed)).toBeGreaterThanOrEqual(REVIEW_SCORE);
  });
});

describe('a person is not reviewed', () => {
  test.each([
    ['Ivan', 'Testin', 'TESTOV, Ivan'],
    ['Ivan Sergeevich', 'Testov', 'TESTOV, Ivan Petrovich'],
    ['Anna', 'Testov', 'TESTOV, Ivan'],
    ['Ahmed', 'Fictional', 'FICTIONAL'],
    ['Grace', 'Hopper', 'HOOPER, Grant'],
    ['Maria', 'Santos', 'SANTANA, Mario'],
    ['John', 'Smith', 'SMYTHSON, Joan'],
    ['Wei', 'Li', 'LIU, Wen'],
  ])('%s %s, listed as %s', (given, family, listed) => {
    expect(personScore(given, family, listed)).toBeLessThan(REVIEW_SCORE);
  });
});

test('another date of birth removes a similar name, but not the same name', () => {
  const dates = { born: '1980-05-17', dates: '03 Mar 1955' };

  expect(personScore('Ivna', 'Testov', 'TESTOV, Ivan', dates)).toBeLessThan(REVIEW_SCORE);
  expect(personScore('Ivan', 'Testov', 'TESTOV, Ivan', dates)).toBe(0.9);
  expect(
    personScore('Ivan', 'Testin', 'TESTOV, Ivan', { ...dates, dates: '1980' }),
  ).toBeGreaterThan(0.84);
});

test('an organization is compared without its legal form', () => {
  const listed = listedForms('organization', 'IMAGINARY TRADING COMPANY LTD.');

  expect(scoreOf(organizationForms('Imaginary Trading LLC'), listed)).toBe(1);
  expect(scoreOf(organizationForms('Immaginary Trading'), listed)).toBeGreaterThanOrEqual(
    REVIEW_SCORE,
  );
  expect(scoreOf(organizationForms('Trading Post Inc'), listed)).toBeLessThan(REVIEW_SCORE);
});

test('birth dates are read from the remarks of an entry', () => {
  const remarks =
    'DOB 07 Oct 1954; alt. DOB Oct 1953; alt. DOB 1960; DOB circa 1961; DOB 1955 to 1957; POB Sampletown; DOB unknown; nationality Testland.';

  expect(readBirthDates(remarks)).toEqual([
    { from: '1954-10-07', to: '1954-10-07' },
    { from: '1953-10-01', to: '1953-10-31' },
    { from: '1960-01-01', to: '1960-12-31' },
    { from: '1960-01-01', to: '1963-01-01' },
    { from: '1955-01-01', to: '1957-12-31' },
  ]);
  expect(readBirthDates(null)).toEqual([]);
});

test('the files of the Treasury are read with aliases and addresses, without vessels', () => {
  const files = sdnFiles([
    { name: 'TESTOV, Ivan', aliases: ['TESTOFF, Ivan'], remarks: 'DOB 07 Oct 1954.' },
    { name: 'IMAGINARY TRADING', type: '-0-' },
    { name: 'SS PRETEND', type: 'vessel' },
  ]);

  const { entries, names } = readSdnList(files);

  expect(entries).toMatchObject([
    {
      entry_number: 1001,
      subject_type: 'person',
      programs: 'TESTLAND',
      title: null,
      birth_dates: [{ from: '1954-10-07', to: '1954-10-07' }],
      addresses: ['1 Example Street, Sampletown, Testland'],
    },
    { entry_number: 1002, subject_type: 'organization', remarks: null },
  ]);
  expect(names.map(({ name, words }) => [name, words])).toEqual([
    ['TESTOV, Ivan', 'ivan testov'],
    ['TESTOFF, Ivan', 'ivan testoff'],
    ['IMAGINARY TRADING', 'imaginary trading'],
  ]);
});

test.each([
  ['an error page', { sdn: '<html><body>Not found</body></html>' }],
  ['a header row', { sdn: 'ent_num,SDN_Name,SDN_Type,Program' }],
  ['a cut row', { sdn: '1001,"TESTOV, Ivan","individual"' }],
  ['an empty file', { sdn: '' }],
])('%s is not a list', (_what, part) => {
  const files = { ...sdnFiles([{ name: 'TESTOV, Ivan' }]), ...part };

  expect(() => readSdnList(files)).toThrow(SdnFileError);
});
