import { createHmac, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { isCertificateUrl, isSubscribeUrl } from '../../jobs/communications/providers/ses.ts';
import { makeCertificate } from '../../workers/outside/certificate.ts';
import {
  basicAuth,
  newConversation,
  newMailedBorrower,
  PROVIDER_SECRET,
} from '../setup/conversation.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const seconds = (ago = 0) => String(Math.floor(Date.now() / 1000) - ago);
const mailedBy = (name: string, secret: string, account_id?: string) =>
  newMailedBorrower(stage, { name, secret, account_id });

test('SendGrid’s events are accepted with a signature of its key over these bytes and this time', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const ground = await mailedBy('SendGrid', key);
  const events = JSON.stringify([
    { event: 'processed', 'smtp-id': `<${ground.id}@x>`, timestamp: 1 },
    { event: 'bounce', type: 'bounce', message: ground.id, status: '5.1.1', reason: 'No such' },
    { event: 'open', sg_message_id: 'unknown', timestamp: 1e300 },
  ]);
  const headers = (timestamp: string, by: KeyObject, over = events) => ({
    'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
    'X-Twilio-Email-Event-Webhook-Signature': sign(
      'sha256',
      Buffer.from(timestamp + over),
      by,
    ).toString('base64'),
  });
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  const refused = [
    await ground.post(events),
    await ground.post(events, headers(seconds(), other)),
    await ground.post(events, headers(seconds(), privateKey, `${events} `)),
    await ground.post(events, headers(seconds(400), privateKey)),
  ];
  const before = await ground.status();
  const heard = [
    await ground.post(events, headers(seconds(), privateKey)),
    await ground.post(events, headers(seconds(), privateKey)),
  ];

  expect(refused.map((reply) => reply.status)).toEqual([401, 401, 401, 401]);
  expect(before).toBe('sent');
  expect(heard.map(({ body }) => body)).toEqual([
    { received: 3, changed: 1 },
    { received: 3, changed: 0 },
  ]);
  expect([await ground.status(), await ground.address(), await ground.marks()]).toEqual([
    'bounced',
    'bounced',
    1,
  ]);
});

test('a provider with an invalid key or account id is refused', async () => {
  const { superadmin } = await newConversation(stage);
  const path = '/communications/providers/email';
  const rsa = generateKeyPairSync('rsa', { modulusLength: 512 }).publicKey;
  const key = rsa.export({ format: 'der', type: 'spki' }).toString('base64');

  const sendgrid = await superadmin.put(path, { name: 'sendgrid', secret: key });
  const ses = await superadmin.put(path, {
    name: 'ses',
    secret: PROVIDER_SECRET,
    account_id: 'arn',
  });

  expect(sendgrid).toMatchObject({ status: 422, body: { errors: { secret: expect.any(String) } } });
  expect(ses).toMatchObject({ status: 422, body: { errors: { account_id: expect.any(String) } } });
});

/** The signature that Mailgun adds to an event or to the fields of a mail. */
function mailgunSigned(timestamp = seconds(), secret = PROVIDER_SECRET) {
  const token = randomUUID().replaceAll('-', '');
  const signature = createHmac('sha256', secret)
    .update(timestamp + token)
    .digest('hex');
  return { timestamp, token, signature };
}

test('Mailgun’s token counts once, and one complaint marks the address once', async () => {
  const ground = await mailedBy('mailgun', PROVIDER_SECRET);
  const payload = (signature: object, event = 'complained') => ({
    signature,
    'event-data': {
      event,
      timestamp: 1700000000.5,
      message: { headers: { 'message-id': `${ground.id}@lender.example` } },
    },
  });
  const signature = mailgunSigned();

  const replies = [
    await ground.post(payload(mailgunSigned(seconds(), 'another secret of somebody'))),
    await ground.post(payload(mailgunSigned(seconds(400)))),
    await ground.post(payload(signature)),
    await ground.post(payload(signature, 'unsubscribed')),
    await ground.post(payload(mailgunSigned())),
  ];

  expect(replies.map(({ status }) => status)).toEqual([401, 401, 200, 401, 200]);
  expect([await ground.status(), await ground.address(), await ground.marks()]).toEqual([
    'complained',
    'complained',
    1,
  ]);
});

test('Mailgun delivers a borrower’s email as a form', async () => {
  const { officer, post, borrower_id, id } = await mailedBy('mailgun', PROVIDER_SECRET);
  const form = new URLSearchParams({
    ...mailgunSigned(),
    sender: 'ada@example.com',
    recipient: 'loans@lender.example',
    subject: 'Re: Welcome',
    'body-plain': 'Thank you',
    'Message-Id': '<1@x>',
    'In-Reply-To': `<${id}@fake>`,
  }).toString();

  const reply = await post(
    form,
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    'inbound/email',
  );
  const logs = await officer.get('/communication-logs?direction=inbound');

  expect(reply.status).toBe(200);
  expect(logs.body).toMatchObject([{ borrower_id, in_reply_to_id: id, body: 'Thank you' }]);
});

test('Postmark is identified by the password in its URL', async () => {
  const ground = await mailedBy('postmark', PROVIDER_SECRET);
  const bounce = (Type: string) => ({
    RecordType: 'Bounce',
    Type,
    MessageID: randomUUID(),
    Description: 'No such mailbox',
    Metadata: { message: ground.id },
    BouncedAt: '2026-01-15T10:00:00Z',
  });

  const replies = [
    await ground.post(bounce('HardBounce')),
    await ground.post(bounce('HardBounce'), basicAuth(`${PROVIDER_SECRET}.`)),
    await ground.post(bounce('SoftBounce'), basicAuth(PROVIDER_SECRET)),
  ];
  const soft = [await ground.status(), await ground.address()];
  await ground.post(bounce('HardBounce'), basicAuth(PROVIDER_SECRET));
  await ground.post(bounce('HardBounce'), basicAuth(PROVIDER_SECRET));

  expect(replies.map(({ status }) => status)).toEqual([401, 401, 200]);
  expect(replies[0]?.headers['www-authenticate']).toMatch(/^Basic /);
  expect(soft).toEqual(['undelivered', 'active']);
  expect([await ground.status(), await ground.address(), await ground.marks()]).toEqual([
    'bounced',
    'bounced',
    1,
  ]);
});

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:bounces';
const CERTIFICATE = 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0a1b.pem';

/** Amazon's signing side, with its own certificate. */
async function amazon() {
  const day = 86_400_000;
  const { cert, key } = await makeCertificate(
    ['sns.amazonaws.com'],
    new Date(Date.now() - day),
    new Date(Date.now() + day),
  );
  /** The signed text as Amazon's documentation describes it. */
  const signed = (fields: Record<string, string>, version: '1' | '2') => {
    const whole: Record<string, string> = {
      MessageId: randomUUID(),
      TopicArn: TOPIC,
      Timestamp: new Date().toISOString(),
      ...fields,
    };
    const text = Object.keys(whole)
      .toSorted()
      .map((name) => `${name}\n${whole[name]}\n`)
      .join('');
    const hash = version === '1' ? 'sha1' : 'sha256';
    const Signature = sign(hash, Buffer.from(text), key).toString('base64');
    return { ...whole, SignatureVersion: version, Signature, SigningCertURL: CERTIFICATE };
  };
  return { cert, signed };
}

test('Amazon’s notifications are accepted once its certificate was read, in both versions', async () => {
  const ground = await mailedBy('ses', PROVIDER_SECRET, TOPIC);
  const { cert, signed } = await amazon();
  const headers = { ...basicAuth(PROVIDER_SECRET), 'Content-Type': 'text/plain; charset=UTF-8' };
  const event = (notificationType: string, more: object) =>
    JSON.stringify({
      notificationType,
      ...more,
      mail: {
        messageId: 'amazon',
        tags: { message: [ground.id] },
      },
    });
  const Message = event('Bounce', { bounce: { bounceType: 'Permanent' } });
  const bounce = signed({ Type: 'Notification', Message }, '2');
  const delivery = { Type: 'Notification', Message: event('Delivery', {}), Subject: 'Delivered' };

  const stranger = await ground.post(bounce, { 'Content-Type': 'text/plain' });
  const first = await ground.post(bounce, headers);
  ground.outside.answers.read.push({ status: 200, body: cert });
  await runJobs(stage, ground.outside, ['read-certificate']);
  const replies = [
    await ground.post({ ...bounce, Message: Message.replace('Permanent', 'Transient') }, headers),
    await ground.post({ ...bounce, TopicArn: `${TOPIC}2` }, headers),
    await ground.post(bounce, { ...headers, ...basicAuth('another secret of somebody') }),
    await ground.post(signed(delivery, '1'), headers),
  ];
  const delivered = await ground.status();
  await ground.post(bounce, headers);
  await ground.post(bounce, headers);

  expect(stranger.status).toBe(401);
  expect(first).toMatchObject({ status: 503, body: { code: 'certificate_awaited' } });
  expect(ground.outside.reads).toEqual([CERTIFICATE]);
  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 200]);
  expect(delivered).toBe('delivered');
  expect([await ground.status(), await ground.address(), await ground.marks()]).toEqual([
    'bounced',
    'bounced',
    1,
  ]);
});

test('a worker confirms Amazon’s subscription once', async () => {
  const ground = await mailedBy('ses', PROVIDER_SECRET, TOPIC);
  const { cert, signed } = await amazon();
  await stage.owner.query(
    'insert into provider_certificates (tenant_id, url, pem) select id, $1, $2 from tenants where id not in (select tenant_id from provider_certificates)',
    [CERTIFICATE, cert],
  );
  const SubscribeURL =
    'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=x&Token=y';
  const wish = { Type: 'SubscriptionConfirmation', Message: 'You have chosen', Token: 'y' };
  const headers = { ...basicAuth(PROVIDER_SECRET), 'Content-Type': 'text/plain; charset=UTF-8' };
  const elsewhere = signed({ ...wish, SubscribeURL: 'https://evil.example/' }, '2');

  const replies = [
    await ground.post(elsewhere, headers),
    await ground.post(signed({ ...wish, SubscribeURL }, '2'), headers),
    await ground.post(signed({ ...wish, SubscribeURL }, '2'), headers),
  ];
  ground.outside.answers.read.push({ status: 200, body: '<ok/>' });
  await runJobs(stage, ground.outside, ['confirm-subscription']);

  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(ground.outside.reads).toEqual([SubscribeURL]);
});

test.each([
  ['https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0a.pem', true],
  ['http://sns.us-east-1.amazonaws.com/SimpleNotificationService-0a.pem', false],
  ['https://sns.us-east-1.amazonaws.com.evil.example/SimpleNotificationService-0a.pem', false],
  ['https://sns.us-east-1.amazonaws.com@evil.example/SimpleNotificationService-0a.pem', false],
  ['https://a:b@sns.us-east-1.amazonaws.com/SimpleNotificationService-0a.pem', false],
  ['https://sns.us-east-1.amazonaws.com:8443/SimpleNotificationService-0a.pem', false],
  ['https://bucket.s3.us-east-1.amazonaws.com/SimpleNotificationService-0a.pem', false],
  ['https://sns.us-east-1.amazonaws.com/other.pem', false],
  ['https://sns.us-east-1.amazonaws.com/a/../SimpleNotificationService-0a.pem', false],
  ['https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0a.pem#1', false],
])('a certificate at %s: %s', (url, isTheirs) => {
  expect(isCertificateUrl(url)).toBe(isTheirs);
  expect(isSubscribeUrl(url)).toBe(false);
});
