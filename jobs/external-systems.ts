import type { Files } from './files/files.ts';
import type { Keys } from './sealing/secrets.ts';
import type { Within } from './work.ts';

/**
 * Everything that a job can reach outside its transaction.
 *
 * Call these functions between transactions, never inside one. Every call ends by its deadline. Failures of
 * the other side (a receiver, a mail server) are returned; only our own faults throw.
 */
export type ExternalServices = {
  /** The process's clock: real time in production, settable in tests and in the demo. */
  now(): Date;
  /** Sends one HTTPS request. Does not follow redirects and refuses private hosts. */
  post(request: PostRequest): Promise<PostResponse>;
  /** Fetches one complete HTTPS page, under the same rules as `post`. */
  read(url: string): Promise<{ status: number; body: string } | { error: string }>;
  /** Downloads one complete file of at most `bytesMax` bytes, under the same rules as `post`. */
  download(url: string, bytesMax: number): Promise<Download>;
  /** The client for OpenID Connect identity providers. */
  identity: IdentityProviderClient;
  /**
   * Prints one complete HTML page as a tagged PDF. Scripts do not run and nothing is loaded. Throws
   * DocumentNotPrintable if the page can never be printed and DocumentTooSlow if printing takes too long
   * (files/render-errors.ts).
   */
  pdf(html: string, options?: PdfOptions): Promise<Pdf>;
  /** Sends one email to one recipient. A repeat with the same message_id is the same email. */
  mail(letter: Mail): Promise<SendResult>;
  /** Sends one text message to one recipient. */
  sms(message: Sms): Promise<SendResult>;
  /** Uploads one file by SFTP. A repeat with the same names leaves one file. */
  upload(upload: Upload): Promise<SendResult>;
  /** Returns the name of the virus found, or null. Throws if the scanner gives no verdict. */
  scan(content: AsyncIterable<Uint8Array>): Promise<{ found: string | null }>;
  /** The document storage, addressed by storage key. */
  files: Files;
  /** The keys that seal and open secrets. */
  keys: Keys;
  /** Runs the steps in one transaction of the tenant. */
  within: Within;
};

export type Download = { status: number; bytes: Buffer } | { error: string };

export type PostRequest = {
  url: string;
  /** Bytes are sent unchanged, so that a signature over them stays valid on every retry. */
  body: Uint8Array;
  headers: Readonly<Record<string, string>>;
  /** From the DNS lookup to the last byte read. Default: 10,000. */
  timeout_ms?: number;
  /** Development only: allows a receiver in a private network. Default: false. */
  allow_private_hosts?: boolean;
};

/** `ok` is true for 2xx only. If `status` is missing, there was no response and `error` says why. */
export type PostResponse = {
  ok: boolean;
  status?: number;
  /** At most 20,000 bytes of text. Invalid bytes are replaced. */
  body?: string;
  /** The Retry-After header in seconds, if the receiver sent one. */
  retry_after_seconds?: number;
  /** A sentence for the subscription's `last_error`. */
  error?: string;
  /** Duration of the attempt in milliseconds. */
  ms: number;
};

/**
 * Its requests follow the same rules as `post`, regardless of the addresses that the provider publishes.
 */
export type IdentityProviderClient = {
  /** Returns the issuer's authorization endpoint. */
  describe(
    issuer: Omit<IssuerAddress, 'client_id' | 'client_secret'>,
  ): Promise<{ authorization_url: string } | { error: string }>;
  /**
   * Exchanges a one-time code for the claims of the ID token. Verifies the signature, audience, nonce and
   * age; any failure is returned as an error.
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
  /** The `iss` parameter of the authorization response, if it had one (RFC 9207). */
  response_issuer: string | null;
  nonce: string;
  verifier: string;
};

export type PdfOptions = {
  /** After this time the browser is killed and the call fails. Default: 20,000. */
  timeout_ms?: number;
  /** The document's own date. With it, the same page always produces the same bytes. */
  dated?: string;
};

export type Pdf = {
  bytes: Uint8Array;
  pages: number;
  /** Scripts or characters without an installed font. Each such character is printed as a question mark. */
  unprintable?: readonly string[];
};

export type Mail = {
  from: MailAddress;
  to: MailAddress;
  reply_to?: MailAddress;
  subject: string;
  html: string;
  /** Plain text alternative. Default: derived from the HTML. */
  text?: string;
  /** The local part of the Message-ID: the id in the communication log. */
  message_id: string;
  /** For the List-Unsubscribe headers (one click). The address may be empty. */
  unsubscribe?: { url: string; address: string };
  attachments?: readonly { filename: string; content_type: string; bytes: Uint8Array }[];
  /** Default: 30,000. */
  timeout_ms?: number;
};

export type MailAddress = { name?: string; address: string };

export type Sms = {
  /** E.164, for example +12025550123. */
  from: string;
  to: string;
  body: string;
  /** The id in the communication log. It also names the file in the outbox. */
  message_id: string;
  /** Default: 15,000. */
  timeout_ms?: number;
};

export type Upload = {
  host: string;
  port: number;
  username: string;
  /** Set either `password` or `private_key`. */
  password?: string;
  private_key?: string;
  /** SHA256 fingerprints of the accepted host keys. The connection fails for any other key. */
  host_keys: readonly string[];
  /** Target folder. Empty for the server's default folder. */
  folder: string;
  filename: string;
  /** Name during the upload. The file is renamed when it is complete. */
  partial_name: string;
  size: number;
  content(): Promise<AsyncIterable<Uint8Array>>;
  /** Development only, as for `post`. */
  allow_private_hosts?: boolean;
};

/**
 * `temporary` failures (a 4xx reply of a mail server, a lost connection) may be retried. Other failures are
 * final.
 */
export type SendResult =
  | { ok: true; provider: string; provider_message_id: string }
  | {
      ok: false;
      provider: string;
      temporary: boolean;
      error_code: string;
      error_message: string;
      /** The provider refused because the recipient has opted out. */
      is_opted_out?: boolean;
    };
