import { z } from 'zod';
import { addProgram, changeProgram } from '../../jobs/loans/products/product.ts';
import { JURISDICTIONS, PROGRAM_TYPES } from '../../jobs/loans/products/program-types.ts';
import { COMPLIANCE_CHECKS } from '../../jobs/users/settings/compliance-checks.ts';
import { programs as table } from '../../sql/loans/programs.ts';
import {
  flag,
  freeText,
  jsonObject,
  prose,
  timestamps,
  uuid,
  requiredText,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

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
    name: requiredText,
    code: requiredText.max(50),
    description: prose.nullish(),
    program_type: z.enum(PROGRAM_TYPES).default('personal'),
    is_active: flag.default(true),
    status: z.enum(['active', 'inactive']).readonly(),
    default_product_id: uuid.nullish(),
    funding_source: freeText.nullish(),
    jurisdictions: z.array(z.enum(JURISDICTIONS)).max(60).default([]),
    compliance_checks: z
      .array(z.enum(COMPLIANCE_CHECKS))
      .max(50)
      .default([])
      .describe("The checks that run on the program's loans. Default: all checks."),
    template_overrides: jsonObject.default({}),
    metadata: jsonObject.default({}),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  filters: ['name', 'code', 'program_type', 'is_active', 'status'],

  create: addProgram,
  update: changeProgram,
});
