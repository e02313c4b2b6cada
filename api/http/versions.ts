import { hash } from 'node:crypto';
import type { z } from 'zod';
import { HttpRefusal } from './errors.ts';

/** The answered fields that a PUT may write determine the version of a record. */
export type Version = { reply: z.ZodType; names: readonly string[] };

/**
 * Computes the ETag of a record as answered. It excludes values that the server recomputes daily, so a
 * prepared change fails only if another user has changed the record.
 */
export function etagOf({ names }: Version, answer: unknown): string {
  const row = answer as Record<string, unknown>;
  const values = names.map((name) => row[name] ?? null);
  return `"${hash('sha256', JSON.stringify(values), 'base64url').slice(0, 27)}"`;
}

/** One list member with the comma or end that follows it (RFC 9110, sections 8.8.3 and 13.1.1). */
const MEMBER = /[\t ]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*)?(?:,|$)/y;

export type WantedVersions = '*' | readonly string[] | null;

/** Returns the tags in If-Match, '*' for any version, or null without the header. */
export function parseIfMatch(header: string | undefined): WantedVersions {
  if (header === undefined) return null;
  if (header.trim() === '*') return '*';
  const tags: string[] = [];
  for (MEMBER.lastIndex = 0; MEMBER.lastIndex < header.length;) {
    const member = MEMBER.exec(header);
    if (member === null) throw malformed();
    if (member[1] !== undefined) tags.push(member[1]);
  }
  if (tags.length === 0) throw malformed();
  return tags;
}

const malformed = () =>
  new HttpRefusal(
    400,
    'malformed_header',
    'If-Match must be * or a list of quoted tags from the ETag header.',
  );

/**
 * Throws 412 if the record no longer has the version that the request names. The record is locked, so it
 * cannot change meanwhile. It is compared as the user sees it. Tags are compared strongly (RFC 9110), so a
 * weak tag never matches.
 */
export function checkMatch(
  wanted: WantedVersions,
  version: Version | undefined,
  row: unknown,
  shown: (answer: unknown) => unknown,
) {
  if (wanted === null || wanted === '*' || version === undefined) return;
  if (wanted.includes(etagOf(version, shown(version.reply.parse(row))))) return;
  throw new HttpRefusal(
    412,
    'precondition_failed',
    'The record has changed since you read it. Read it again and repeat the change with its new ETag.',
  );
}
