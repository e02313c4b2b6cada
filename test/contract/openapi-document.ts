import { buildOpenApi } from '../../api/endpoints/openapi.ts';
import { routes } from '../../api/routes.ts';

export type Json = { [key: string]: Json };

/** The document as clients receive it. */
export const document = JSON.parse(JSON.stringify(buildOpenApi(routes))) as Json;

/** Follows a reference within the document. */
export function resolve<Part>(part: Part | { $ref: string }): Part {
  const { $ref } = part as { $ref?: string };
  if ($ref === undefined) return part as Part;
  const names = $ref.replace(/^#\//, '').split('/');
  const found = names.reduce<Json | undefined>((at, name) => at?.[name], document);
  if (found === undefined) throw new Error(`${$ref} does not exist.`);
  return resolve(found as Part);
}

type Header = { description?: string; schema: object; example?: unknown };
type Example = { value: unknown };
export type Media = {
  schema: object;
  example?: unknown;
  examples?: Record<string, Example | { $ref: string }>;
};
export type Response = {
  description: string;
  headers?: Record<string, Header | { $ref: string }>;
  content?: Record<string, Media>;
};
export type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: object;
  example?: unknown;
};
export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
};

function resolvedOperation(operation: Operation): Operation {
  return {
    ...operation,
    parameters: operation.parameters.map(resolve),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, resolve(response)]),
    ),
  };
}

/** Every operation with its parameters and responses, references resolved. */
export const operations = Object.entries(
  document['paths'] as unknown as Record<string, Record<string, Operation>>,
).flatMap(([at, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    at,
    method,
    operation: resolvedOperation(operation),
  })),
);
