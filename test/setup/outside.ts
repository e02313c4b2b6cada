import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DatabasePool } from 'slonik';
import type { Content, Files } from '../../jobs/files/files.ts';
import type {
  Download,
  Mail,
  ExternalServices,
  PostResponse,
  PostRequest,
  SendResult,
  Sms,
  Upload,
} from '../../jobs/external-systems.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';

/** For signatures that no test verifies. */
const OWN_KEYS = deriveKeys('the secret of an outside world of tests');

type ServiceAnswers<Answer> = Answer[];

/**
 * External services that record what they receive. They return the prepared `answers` in order and succeed
 * afterwards.
 */
export function newOutside(pool: DatabasePool, now = () => new Date()) {
  const files = newFiles();
  const posts: PostRequest[] = [];
  const reads: string[] = [];
  const mailbox: Mail[] = [];
  const texts: Sms[] = [];
  const uploads: Upload[] = [];
  const pages: string[] = [];
  const answers = {
    post: [] as ServiceAnswers<PostResponse>,
    read: [] as ServiceAnswers<{ status: number; body: string }>,
    download: [] as ServiceAnswers<Download>,
    send: [] as ServiceAnswers<SendResult>,
  };
  const sent = (provider: string, message_id: string): SendResult =>
    answers.send.shift() ?? { ok: true, provider, provider_message_id: `${message_id}@fake` };

  const outside: ExternalServices = {
    now,
    within: createWithin(pool, SYSTEM),
    post: async (request) => {
      posts.push(request);
      return answers.post.shift() ?? { ok: true, status: 200, body: 'ok', ms: 1 };
    },
    read: async (url) => {
      reads.push(url);
      return answers.read.shift() ?? { error: 'This world has no such page.' };
    },
    download: async () => answers.download.shift() ?? { error: 'This world has no such file.' },
    // Sign-in through a provider uses a real one: test/setup/identity-provider.ts.
    identity: {
      describe: async () => ({ error: 'This world has no identity provider.' }),
      claims: async () => ({ error: 'This world has no identity provider.' }),
    },
    pdf: async (html) => {
      pages.push(html);
      return { bytes: Buffer.from(`%PDF-1.7 ${html.length}`), pages: 1 };
    },
    mail: async (letter) => {
      mailbox.push(letter);
      return sent('outbox', letter.message_id);
    },
    sms: async (message) => {
      texts.push(message);
      return sent('outbox', message.message_id);
    },
    upload: async (upload) => {
      uploads.push(upload);
      return sent('sftp', upload.filename);
    },
    scan: async () => ({ found: null }),
    files,
    keys: OWN_KEYS,
  };
  return Object.assign(outside, {
    posts,
    reads,
    mailbox,
    texts,
    uploads,
    pages,
    stored: files.stored,
    answers,
  });
}

/** Files in memory. `stored` holds them by key. */
export function newFiles(): Files & { stored: Map<string, Uint8Array> } {
  const stored = new Map<string, Uint8Array>();
  const describe = (key: string, bytes: Uint8Array) => {
    const sha256_hash = createHash('sha256').update(bytes).digest('hex');
    return { key, size: bytes.length, sha256_hash };
  };
  return {
    stored,
    put: async (key, content, { once = false, when } = {}) => {
      if (once && stored.has(key)) throw new Error(`There is a file ${key} already.`);
      const bytes = await bytesOf(content);
      const file = describe(key, bytes);
      const place = async () => void stored.set(key, bytes);
      await (when ? when(file, place) : place());
      return file;
    },
    seize: async (key) => {
      const bytes = stored.get(key);
      if (!bytes) return null;
      return {
        described: describe(key, bytes),
        head: bytes,
        tail: bytes,
        settle: async (to) => {
          if (stored.get(key) !== bytes) return false;
          stored.set(to, bytes);
          return true;
        },
        [Symbol.asyncDispose]: async () => {},
      };
    },
    get: async (key) => stored.get(key) ?? null,
    stream: async (key) => {
      const bytes = stored.get(key);
      return bytes ? Readable.from([bytes]) : null;
    },
    describe: async (key) => {
      const bytes = stored.get(key);
      return bytes ? describe(key, bytes) : null;
    },
    remove: async (key) => void stored.delete(key),
    clear: async (key) => void stored.delete(key),
    presign: async ({ key, method }) => `https://files.test/${method}/${key}`,
  };
}

async function bytesOf(content: Content): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content;
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}
