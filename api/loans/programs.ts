import { z } from 'zod';
import { addProgram, changeProgram } from '../../jobs/loans/product.ts';
import { JURISDICTIONS, PROGRAM_TYPES } from '../../jobs/loans/program-types.ts';
import { programs as table } from '../../sql/loans/programs.ts';
import { flag, jsonObject, prose, stamps, text, uuid, words } from '../../sql/types.ts';
import { resource } from '../resource.ts';

/** Codes of checks, as in the tenant's settings. */
const checkCode = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,59}$/, 'Must be the code of a compliance check.');

export const programs = resource({
  name: 'Program',
  path: 'programs',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    name: words,
    code: words.max(50),
    description: prose.nullish(),
    program_type: z.enum(PROGRAM_TYPES).default('personal'),
    is_active: flag.default(true),
    status: z.enum(['active', 'inactive']).readonly(),
    default_product_id: uuid.nullish(),
    funding_source: text.nullish(),
    jurisdictions: z.array(z.enum(JURISDICTIONS)).max(60).default([]),
    compliance_checks: z.array(checkCode).max(50).default([]),
    template_overrides: jsonObject.default({}),
    metadata: jsonObject.default({}),
    is_archived: flag.readonly(),
    ...stamps,
  },
  filters: ['name', 'code', 'program_type', 'is_active', 'status'],

  create: addProgram,
  update: changeProgram,
});
