import { dictionary } from '../../../sql/dictionary.ts';

type Cap = { cap: string; source: string };

/**
 * State rate caps for consumer lenders without a license, where a single figure applies. A license, the
 * loan's size or a federal charter may allow more. The check therefore only warns, unless the tenant sets
 * it to hard.
 */
export const USURY_CAPS = dictionary<Cap>({
  AR: { cap: '0.17', source: 'Arkansas Constitution, amendment 89, section 3' },
  CT: { cap: '0.12', source: 'Connecticut General Statutes, section 37-4' },
  DC: { cap: '0.24', source: 'D.C. Code, section 28-3301' },
  FL: { cap: '0.18', source: 'Florida Statutes, section 687.02' },
  IL: { cap: '0.36', source: '815 ILCS 123/15-5-5' },
  MA: { cap: '0.20', source: 'Massachusetts General Laws, chapter 271, section 49' },
  MI: { cap: '0.25', source: 'Michigan Compiled Laws, section 438.41' },
  MT: { cap: '0.36', source: 'Montana Code, section 32-5-301' },
  NJ: { cap: '0.30', source: 'New Jersey Statutes, section 2C:21-19' },
  NM: { cap: '0.36', source: 'New Mexico Statutes, section 58-15-17' },
  NY: { cap: '0.16', source: 'New York Banking Law, section 14-a' },
  SD: { cap: '0.36', source: 'South Dakota Codified Laws, section 54-4-44' },
});
