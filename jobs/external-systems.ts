import type { Files } from './files/files.ts';
import type { Keys } from './sealing/secrets.ts';
import type { Within } from './work.ts';

/**
 * What a worker lends to its jobs: everything that reaches beyond the transaction.
 *
 * A job uses it between transactions, never inside one. Every call ends by its deadline; what a
 * stranger does wrong (a receiver, a mail server) is an answer, and only our own faults throw.
 */
export type ExternalServices = {
  /** The clock of the process: true in production, set by tests and by the demo. */
  now(): Date;
  /** One HTTPS request with one answer; redirects are not followed and private hosts refused. */
  post(request: PostRequest): Promise<PostResponse>;
  /** One HTTPS page that has to be read whole, by the same door. */
  read(url: string): Promise<{ status: number; body: string } | { error: string }>;
  /** One file by the same door, whole, of at most so many bytes. */
  download(url: string, bytesMax: number): Promise<Download>;
  /** What an identity provider says of itself, and of whoever has signed in there. */
  identity: IdentityProviderClient;
  /**
   * A tagged PDF of one whole HTML page; its scripts do not run and it loads nothing. A page that
   * can never be printed throws DocumentRefused (files/refused.ts), one that takes too long DocumentTooSlow.
   */
  pdf(html: string, options?: PdfOptions): Promise<Pdf>;
  /** One letter to one recipient; a repeat with the same message_id is the same letter. */
  mail(letter: Mail): Promise<SendResult>;
  /** One text message to one recipient. */
  sms(message: Sms): Promise<SendResult>;
  /** One file put on a server by SFTP; a repeat with the same names leaves one file. */
  upload(upload: Upload): Promise<SendResult>;
  /** What a virus scanner finds in a file, or null; throws where there is no verdict. */
  scan(content: AsyncIterable<Uint8Array>): Promise<{ found: string | null }>;
  /** Where documents live, by storage key. */
  files: Files;
  /** What the secrets of receivers are sealed with. */
  keys: Keys;
  /** Runs the steps in one transaction of the tenant. */
  within: Within;
};

export type Download = { status: number; bytes: Buffer } | { error: string };

export type PostRequest = {
  url: string;
  /** Sent as they are, so that a signature over them stays true on every retry. */
  body: Uint8Array;
  headers: Readonly<Record<string, string>>;
  /** From the look-up of the name to the last byte read. Default 10,000. */
  timeout_ms?: number;
  /** Development only: lets a tenant name a receiver in a private network. Default false. */
  allow_private_hosts?: boolean;
};

/** `ok` is true for 2xx only. Without `status` no answer came and `error` says why. */
export type PostResponse = {
  ok: boolean;
  status?: number;
  /** At most 20,000 bytes of text; invalid bytes are replaced. */
  body?: string;
  /** The value of Retry-After in seconds, when the receiver asked for a pause. */
  retry_after_seconds?: number;
  /** A sentence for the subscription's last_error. */
  error?: string;
  /** Milliseconds that the attempt took. */
  ms: number;
};

/** Its requests go through the same door as `post`, whatever addresses the provider names. */
export type IdentityProviderClient = {
  /** Where the provider of this issuer has people sign in. */
  describe(
    issuer: Omit<IssuerAddress, 'client_id' | 'client_secret'>,
  ): Promise<{ authorization_url: string } | { error: string }>;
  /**
   * Hands a code in, once, and answers what the provider says of whoever it is of: signed by its keys,
   * for this client and this sign-in, and not too old. Anything else is an error.
   */
  claims(exchange: CodeExchange): Promise<{ claims: Record<string, unknown> } | { error: string }>;
};

type IssuerAddress = {
  issuer_url: string;
  client_id: string;
  client_secret: string;
  /** Development only, as for `post`. */
  allow_private_hosts?: boolean;
};

export type CodeExchange = IssuerAddress & {
  redirect_url: string;
  code: string;
  /** What the answer said of who gave it, where it said so (RFC 9207). */
  response_issuer: string | null;
  nonce: string;
  verifier: string;
};

export type PdfOptions = {
  /** After it the browser is killed and the call fails. Default 20,000. */
  timeout_ms?: number;
  /** The document's own day: with it, the same page is the same bytes, whenever it is printed. */
  dated?: string;
};

export type Pdf = {
  bytes: Uint8Array;
  pages: number;
  /** Scripts or characters for which no font is shipped; a question mark is printed for each. */
  unprintable?: readonly string[];
};

export type Mail = {
  /** An address, or a name with an address: { name, address } is never parsed again. */
  from: MailAddress;
  to: MailAddress;
  reply_to?: MailAddress;
  subject: string;
  html: string;
  /** Plain text beside the HTML; made from the HTML when absent. */
  text?: string;
  /** The part before the @ of the Message-ID: the id of the communication log. */
  message_id: string;
  /** Where the recipient refuses more of such mail with one click; the address may be empty. */
  unsubscribe?: { url: string; address: string };
  attachments?: readonly { filename: string; content_type: string; bytes: Uint8Array }[];
  /** Default 30,000. */
  timeout_ms?: number;
};

export type MailAddress = { name?: string; address: string };

export type Sms = {
  /** In E.164: +12025550123. */
  from: string;
  to: string;
  body: string;
  /** The id of the communication log; names the file in the outbox. */
  message_id: string;
  /** Default 15,000. */
  timeout_ms?: number;
};

export type Upload = {
  host: string;
  port: number;
  username: string;
  /** One of the two. */
  password?: string;
  private_key?: string;
  /** The keys that the server may show, as SHA256 fingerprints; it is trusted with no other. */
  host_keys: readonly string[];
  /** Where the file goes; empty for the folder that the server opens. */
  folder: string;
  filename: string;
  /** What it is called until all of it is there. */
  partial_name: string;
  size: number;
  content(): Promise<AsyncIterable<Uint8Array>>;
  /** Development only, as for `post`. */
  allow_private_hosts?: boolean;
};

/**
 * `temporary` failures (4xx of a mail server, a lost connection) are worth another try; the
 * others stay what they are.
 */
export type SendResult =
  | { ok: true; provider: string; provider_message_id: string }
  | {
      ok: false;
      provider: string;
      temporary: boolean;
      error_code: string;
      error_message: string;
      /** The provider sends nothing there, because the recipient has opted out. */
      is_opted_out?: boolean;
    };
