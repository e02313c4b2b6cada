import { z } from 'zod';

/** Texts with one worldwide or nationwide format. */
export const phoneNumber = z
  .string()
  .max(16)
  .regex(/^\+[1-9]\d{1,14}$/, 'Must be a number like +12025550123 (E.164).');

export const countryCode = z.string().regex(/^[A-Z]{2}$/, 'Must be a country code like US.');

export const lastFourDigits = z.string().regex(/^\d{4}$/, 'Must be exactly the last four digits.');
