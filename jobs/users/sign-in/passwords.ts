import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** argon2id parameters of the OWASP ASVS: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;

/** Anyone can trigger password hashing, which is expensive, so concurrency is limited. */
const CONCURRENT_HASHES_MAX = 4;
let running = 0;
const waiting: (() => void)[] = [];

const derive = promisify(argon2);

async function deriveTag(
  password: string,
  nonce: Buffer,
  cost: typeof COST | ParsedHash,
): Promise<Buffer> {
  if (running >= CONCURRENT_HASHES_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    const { memory, passes, parallelism, tagLength } = cost;
    const message = Buffer.from(password.normalize('NFKC'));
    return await derive('argon2id', {
      message,
      nonce,
      memory,
      passes,
      parallelism,
      tagLength,
    });
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** Hashes the password with a random salt. Returns a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await deriveTag(password, nonce, COST);
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toUnpaddedBase64(nonce)}$${toUnpaddedBase64(tag)}`;
}

type ParsedHash = { memory: number; passes: number; parallelism: number; tagLength: number };

/**
 * Whether the password matches the hash. Takes the same time if `hash` is null (unknown user) and returns
 * false.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [, , , cost = '', salt = '', expected = ''] = (hash ?? (await DUMMY)).split('$');
  const [memory = 0, passes = 0, parallelism = 0] = cost
    .split(',')
    .map((part) => Number(part.slice(2)));
  const wanted = Buffer.from(expected, 'base64');
  const settings = { memory, passes, parallelism, tagLength: wanted.length };
  const tag = await deriveTag(password, Buffer.from(salt, 'base64'), settings);
  return timingSafeEqual(tag, wanted) && hash !== null;
}

const toUnpaddedBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/={1,2}$/, '');
const DUMMY = hashPassword(randomBytes(16).toString('hex'));
