export const BUREAUS = ['equifax', 'experian', 'transunion', 'innovis'] as const;
