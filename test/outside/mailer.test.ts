import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import type { Mail } from '../../jobs/external-systems.ts';
import { openMailer, type Mailer } from '../../workers/outside/mailer.ts';

const letter: Mail = {
  from: { name: 'Harbor & Pine', address: 'loans@harborpine.example' },
  to: { name: 'María O’Neil', address: 'maria@example.com' },
  subject: 'Your payment of $315.68',
  html: '<p>Dear María,</p><p>Pay <a href="https://my.example/pay">here</a> &amp; now.</p>',
  message_id: '0190f0f0-0000-7000-8000-000000000001',
};

const open: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function server(options: SMTPServerOptions = {}) {
  const letters: string[] = [];
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 50,
    onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        letters.push(Buffer.concat(chunks).toString());
        callback();
      });
    },
    ...options,
  });
  smtp.on('error', () => undefined);
  await new Promise<void>((listening) => smtp.listen(0, '127.0.0.1', listening));
  open.push(() => new Promise<void>((closed) => smtp.close(() => closed())));
  const address = smtp.server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  return { letters, url: `smtp://127.0.0.1:${port}` };
}

function mailer(smtpUrl?: string, outbox = ''): Mailer {
  const opened = openMailer({ smtpUrl, outbox });
  open.push(() => opened.close());
  return opened;
}

test('a mail server receives the email with its sender, text and id', async () => {
  const { letters, url } = await server();

  const answer = await mailer(url).mail({
    ...letter,
    attachments: [
      { filename: 'a.pdf', content_type: 'application/pdf', bytes: Buffer.from('%PDF') },
    ],
  });

  const read = await PostalMime.parse(letters[0] ?? '');
  expect(answer).toEqual({
    ok: true,
    provider: 'smtp',
    provider_message_id: `<${letter.message_id}@harborpine.example>`,
  });
  expect(read).toMatchObject({
    from: { name: 'Harbor & Pine', address: 'loans@harborpine.example' },
    to: [{ name: 'María O’Neil', address: 'maria@example.com' }],
    subject: letter.subject,
    messageId: `<${letter.message_id}@harborpine.example>`,
    text: expect.stringContaining('Pay here (https://my.example/pay) & now.'),
  });
  expect(read.attachments).toMatchObject([{ filename: 'a.pdf', mimeType: 'application/pdf' }]);
});

test('an email with an unsubscribe link names it for a click and for a reply', async () => {
  const { letters, url } = await server();
  const page = `https://lender.example/portal/unsubscribe?token=${'t'.repeat(80)}`;

  await mailer(url).mail({ ...letter, unsubscribe: { url: page, address: 'stop@my.example' } });
  await mailer(url).mail({ ...letter, unsubscribe: { url: page, address: '' } });
  await mailer(url).mail(letter);

  const read = await Promise.all(letters.map((text) => PostalMime.parse(text)));
  const valueOf = (at: number, name: string) =>
    read[at]?.headers.find(({ key }) => key === name)?.value;
  expect(valueOf(0, 'list-unsubscribe')).toBe(
    `<${page}>, <mailto:stop@my.example?subject=unsubscribe>`,
  );
  expect(valueOf(1, 'list-unsubscribe')).toBe(`<${page}>`);
  expect(valueOf(1, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  expect(valueOf(2, 'list-unsubscribe')).toBeUndefined();
});

test('the same email sent twice has the same id', async () => {
  const { letters, url } = await server();
  const sender = mailer(url);

  await sender.mail(letter);
  await sender.mail(letter);

  const ids = letters.map((text) => /^Message-ID: (.*)$/im.exec(text)?.[1]);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
});

test.each([
  [421, true],
  [450, true],
  [451, true],
  [550, false],
  [552, false],
])('a server that answers %i to the recipient: temporary is %s', async (code, temporary) => {
  const { url } = await server({
    onRcptTo: (_address, _session, callback) =>
      callback(Object.assign(new Error('no'), { responseCode: code })),
  });

  const answer = await mailer(url).mail(letter);

  expect(answer).toMatchObject({ ok: false, temporary, error_code: String(code) });
});

/** Speaks enough SMTP to accept a mail, and hangs up at the given point. */
async function droppingServer(at: 'DATA' | 'dot') {
  const net = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 here\r\n');
    let isLetter = false;
    socket.on('data', (bytes) => {
      const line = bytes.toString();
      if (isLetter) {
        if (line.endsWith('.\r\n')) socket.destroy();
      } else if (line.startsWith('DATA')) {
        isLetter = true;
        socket.write('354 go\r\n', () => at === 'DATA' && socket.destroy());
      } else socket.write('250 ok\r\n');
    });
  });
  await new Promise<void>((listening) => net.listen(0, '127.0.0.1', listening));
  open.push(() => new Promise((closed) => net.close(closed)));
  const address = net.address();
  return `smtp://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`;
}

test.each(['DATA', 'dot'] as const)(
  'a server that disconnects at %s gets the email again, because it may not have it',
  async (at) => {
    const url = await droppingServer(at);

    const answer = await mailer(url).mail(letter);

    expect(answer).toMatchObject({
      ok: false,
      temporary: true,
      error_code: expect.stringMatching(/^E(SOCKET|CONNECTION)$/),
    });
  },
);

test('a missing or hanging server is a temporary failure', async () => {
  const { url } = await server({ onMailFrom: () => undefined });

  const answers = await Promise.all([
    mailer('smtp://127.0.0.1:1').mail(letter),
    mailer(url).mail({ ...letter, timeout_ms: 300 }),
  ]);

  expect(answers).toMatchObject([
    { ok: false, temporary: true, error_code: 'ESOCKET' },
    { ok: false, temporary: true, error_code: 'ETIMEDOUT' },
  ]);
});

test('a name or an address cannot inject a header or a second recipient', async () => {
  const { letters, url } = await server();
  const sender = mailer(url);
  const wrong = [
    'a@b.example, eve@example.com',
    'a@b.example\r\nBcc: eve@example.com',
    'Group: a@b.example;',
    '<a@b.example>',
    '"a b"@b.example',
    '',
  ];

  const refusals = await Promise.all(
    wrong.map((address) => sender.mail({ ...letter, to: { address } })),
  );
  await sender.mail({
    ...letter,
    to: { name: 'Ann\r\nBcc: eve@example.com', address: 'ann@example.com' },
    subject: 'Hi\r\nBcc: eve@example.com\r\n\r\nbody',
  });

  const read = await PostalMime.parse(letters[0] ?? '');
  expect(refusals.every((answer) => !answer.ok && !answer.temporary)).toBe(true);
  expect(letters).toHaveLength(1);
  expect(read.bcc ?? []).toEqual([]);
  expect(read.to).toMatchObject([{ address: 'ann@example.com' }]);
  expect(read.subject).toBe('Hi Bcc: eve@example.com body');
});

test('without a server an email is written to a file, and a repeat writes the same file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'outbox-'));
  open.push(() => rm(folder, { recursive: true }));
  const sender = mailer(undefined, folder);

  await sender.mail(letter);
  const answer = await sender.mail(letter);

  const files = await readdir(folder);
  const read = await PostalMime.parse(await readFile(join(folder, files[0] ?? '')));
  expect(answer).toMatchObject({ ok: true, provider: 'outbox' });
  expect(files).toEqual([`${letter.message_id}.eml`]);
  expect(read.html).toContain('Dear María');
});
