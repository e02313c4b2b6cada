/* Generates a client from the OpenAPI document with each of both generators, below the given folder. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';

const [, , file, folder] = process.argv;
const document = JSON.parse(readFileSync(file, 'utf8'));

const types = await openapiTypescript(structuredClone(document), { silent: true });
mkdirSync(path.join(folder, 'openapi-typescript'), { recursive: true });
writeFileSync(path.join(folder, 'openapi-typescript/schema.d.ts'), astToString(types));

await createClient({
  input: document,
  output: {
    path: path.join(folder, 'hey-api/client'),
    importFileExtension: '.ts',
    module: { extension: '.ts' },
  },
  logs: { level: 'silent' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
});
