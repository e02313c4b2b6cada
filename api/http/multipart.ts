/** One part of a form: a file where it has a file name, otherwise a field. */
export type Part = {
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
 * The parts of a form (RFC 7578) as they arrive. Read the content of each before you ask for the next. It is
 * searched for the boundary by Buffer.indexOf, so its cost depends on the length of the form only. Parsers
 * that look at each byte need minutes for 25 MB of line ends.
 */
export async function* partsOf(
  contentType: string,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Part> {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new MalformedForm('The form names no boundary.');
  const form = new Incoming(source, Buffer.from(`\r\n--${boundary}`));
  try {
    await exhaust(form.upToDelimiter());
    while (await form.hasPart()) {
      const content = form.upToDelimiter();
      yield { ...describe(await form.headers()), content };
      await exhaust(content);
    }
    await exhaust(form.rest());
  } finally {
    await form.close();
  }
}

async function exhaust(content: AsyncIterable<Uint8Array>) {
  for await (const piece of content) void piece;
}

/** What has arrived of a form and was not read yet: never more than one piece and a delimiter. */
class Incoming {
  // The first delimiter may come without a line before it.
  #unread: Buffer = Buffer.from('\r\n');
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;

  constructor(source: AsyncIterable<Uint8Array>, delimiter: Buffer) {
    this.#source = source[Symbol.asyncIterator]();
    this.#delimiter = delimiter;
  }

  async #receive(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done) return false;
    this.#unread = Buffer.concat([this.#unread, value]);
    return true;
  }

  async #receiveMore() {
    if (!(await this.#receive())) throw new MalformedForm('The form ends too early.');
  }

  /** Takes the next bytes from what is unread. */
  #take(count: number): Buffer {
    const taken = this.#unread.subarray(0, count);
    this.#unread = this.#unread.subarray(count);
    return taken;
  }

  /** All bytes before the next delimiter, which is taken as well. */
  async *upToDelimiter(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#unread.indexOf(this.#delimiter);
      const count = at < 0 ? Math.max(0, this.#unread.length - this.#delimiter.length + 1) : at;
      if (count > 0) yield this.#take(count);
      if (at >= 0) {
        this.#take(this.#delimiter.length);
        return;
      }
      await this.#receiveMore();
    }
  }

  /** After a delimiter: whether another part follows. */
  async hasPart(): Promise<boolean> {
    while (this.#unread.length < 2) await this.#receiveMore();
    const end = this.#take(2).toString();
    if (end !== '\r\n' && end !== '--') throw new MalformedForm('A boundary is continued.');
    return end === '\r\n';
  }

  async headers(): Promise<string> {
    for (;;) {
      const at = this.#unread.indexOf('\r\n\r\n');
      if (at > HEADERS_BYTES_MAX || (at < 0 && this.#unread.length > HEADERS_BYTES_MAX))
        throw new MalformedForm('The headers of a part are too long.');
      if (at >= 0) return this.#take(at + 4).toString();
      await this.#receiveMore();
    }
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    do yield this.#take(this.#unread.length);
    while (await this.#receive());
  }

  async close() {
    await this.#source.return?.();
  }
}

/** What the headers of a part say of it. */
function describe(head: string): Omit<Part, 'content'> {
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
  // Encoded content would be kept as it is encoded (RFC 7578, 4.7: do not use it).
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
    name: unescaped(name),
    // Some browsers send the whole path.
    filename: filename === undefined ? null : unescaped(filename.replace(/^.*\\/, '')),
    type: headers.get('content-type') ?? '',
  };
}

/** Browsers escape quotation marks and line ends, and nothing else. */
const unescaped = (text: string) =>
  text.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
