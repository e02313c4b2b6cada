/** One part of a form: a file if it has a file name, otherwise a field. */
export type FormPart = {
  name: string;
  filename: string | null;
  type: string;
  content: AsyncGenerator<Uint8Array>;
};

/** The form does not follow RFC 7578, or ends too early. */
export class MalformedForm extends Error {}

const HEADERS_BYTES_MAX = 8_192;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;
const PARAMETER = /;\s*([\w*-]{1,20})=(?:"((?:\\"|[^"])*)"|([^\s;"]*))/g;
const PLAIN_ENCODINGS = new Set(['', '7bit', '8bit', 'binary']);

/**
 * Yields the parts of a form (RFC 7578) as they arrive. Read the content of each part before requesting the
 * next.
 *
 * Buffer.indexOf searches for the boundary, so the cost depends only on the form's length. Parsers that
 * inspect each byte need minutes for 25 MB of line ends.
 */
export async function* readParts(
  contentType: string,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<FormPart> {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new MalformedForm('The form names no boundary.');
  const form = new PartReader(source, Buffer.from(`\r\n--${boundary}`));
  try {
    await drain(form.upToDelimiter());
    while (await form.hasPart()) {
      const content = form.upToDelimiter();
      yield { ...parsePartHeaders(await form.headers()), content };
      await drain(content);
    }
    await drain(form.rest());
  } finally {
    await form.close();
  }
}

async function drain(content: AsyncIterable<Uint8Array>) {
  for await (const piece of content) void piece;
}

/** The buffered bytes that have arrived: never more than one chunk and one delimiter. */
class PartReader {
  // The first delimiter may arrive without a preceding line break.
  #buffered: Buffer = Buffer.from('\r\n');
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;

  constructor(source: AsyncIterable<Uint8Array>, delimiter: Buffer) {
    this.#source = source[Symbol.asyncIterator]();
    this.#delimiter = delimiter;
  }

  async #receive(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done) return false;
    this.#buffered = Buffer.concat([this.#buffered, value]);
    return true;
  }

  async #receiveMore() {
    if (!(await this.#receive())) throw new MalformedForm('The form ends too early.');
  }

  #take(count: number): Buffer {
    const taken = this.#buffered.subarray(0, count);
    this.#buffered = this.#buffered.subarray(count);
    return taken;
  }

  /** Yields the bytes before the next delimiter and consumes the delimiter. */
  async *upToDelimiter(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#buffered.indexOf(this.#delimiter);
      const count = at < 0 ? Math.max(0, this.#buffered.length - this.#delimiter.length + 1) : at;
      if (count > 0) yield this.#take(count);
      if (at >= 0) {
        this.#take(this.#delimiter.length);
        return;
      }
      await this.#receiveMore();
    }
  }

  /** Call it after a delimiter. Returns whether another part follows. */
  async hasPart(): Promise<boolean> {
    while (this.#buffered.length < 2) await this.#receiveMore();
    const end = this.#take(2).toString();
    if (end !== '\r\n' && end !== '--') throw new MalformedForm('A boundary is continued.');
    return end === '\r\n';
  }

  async headers(): Promise<string> {
    for (;;) {
      const at = this.#buffered.indexOf('\r\n\r\n');
      if (at > HEADERS_BYTES_MAX || (at < 0 && this.#buffered.length > HEADERS_BYTES_MAX))
        throw new MalformedForm('The headers of a part are too long.');
      if (at >= 0) return this.#take(at + 4).toString();
      await this.#receiveMore();
    }
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    do yield this.#take(this.#buffered.length);
    while (await this.#receive());
  }

  async close() {
    await this.#source.return?.();
  }
}

/** Parses the headers of a part. */
function parsePartHeaders(head: string): Omit<FormPart, 'content'> {
  const headers = new Map(
    head
      .trimEnd()
      .split('\r\n')
      .map((line) => {
        const colon = line.indexOf(':');
        if (colon < 1) throw new MalformedForm('A header of a part has no name.');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
  );
  const disposition = headers.get('content-disposition') ?? '';
  if (!/^form-data(?:;|$)/i.test(disposition)) throw new MalformedForm('A part has no name.');
  // Encoded content would be stored in its encoded form (RFC 7578, section 4.7, deprecates it).
  if (!PLAIN_ENCODINGS.has((headers.get('content-transfer-encoding') ?? '').toLowerCase()))
    throw new MalformedForm('A part is encoded.');
  const parameters = new Map(
    [...disposition.matchAll(PARAMETER)].map(([, name = '', quoted, plain]) => [
      name.toLowerCase(),
      quoted?.replaceAll('\\"', '"') ?? plain ?? '',
    ]),
  );
  const name = parameters.get('name');
  if (name === undefined) throw new MalformedForm('A part has no name.');
  const filename = parameters.get('filename');
  return {
    name: unescapeName(name),
    // Some browsers send the full path.
    filename: filename === undefined ? null : unescapeName(filename.replace(/^.*\\/, '')),
    type: headers.get('content-type') ?? '',
  };
}

/** Browsers escape only quotation marks and line breaks. */
const unescapeName = (text: string) =>
  text.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
