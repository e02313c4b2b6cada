import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emit } from '../../jobs/webhooks/emit.ts';
import { signBody, signStandard } from '../../jobs/webhooks/signature.ts';
import { PAYMENT_RECEIVED } from '../setup/events.ts';
import { parseGuide } from '../setup/guides.ts';
import { newOutside } from '../setup/outside.ts';
import { attemptDelivery, latestDelivery } from '../setup/subscriber.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const GUIDE = readFileSync(new URL('../../templates/guides/webhooks.md', import.meta.url), 'utf8');
const SAMPLES = new Map(
  parseGuide(GUIDE).parts.flatMap((part) => ('name' in part ? [[part.name, part.text]] : [])),
);

type Headers = Record<string, string>;
type Delivery = { secret: string; headers: Headers; body: Buffer };
/** Whether the sample accepts the delivery by its Standard Webhooks headers, and by X-Webhook-Signature. */
type Verdict = [isGenuine: boolean, isBodyGenuine: boolean];

/** Deliveries as the outbound pool sends them, before and during a rotation, and forgeries of them. */
async function deliveries(): Promise<[Delivery, Verdict][]> {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const outside = Object.assign(newOutside(stage.pool), { keys: stage.installation.keys });
  const subscribed = await admin.post('/webhooks', {
    url: 'https://receiver.example.com/hook',
    events: ['*'],
  });
  const secret = String(subscribed.body.secret);
  const send = async () => {
    await tenant.within((work) => emit(work, 'payment.received', PAYMENT_RECEIVED));
    await stage.owner.query('select app.create_deliveries(100)');
    await attemptDelivery(tenant, outside, (await latestDelivery(stage, tenant)).id);
    const { headers, body } = outside.posts.at(-1) ?? { headers: {}, body: Buffer.of() };
    const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    return { headers: Object.fromEntries(lowerCase) as Headers, body: Buffer.from(body) };
  };
  const sent = await send();
  const rotated = await admin.post(`/webhooks/${subscribed.body.id}/rotate-secret`);
  const during = await send();
  const newSecret = String(rotated.body.secret);
  const id = String(sent.headers['webhook-id']);
  const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
  const old = {
    ...sent.headers,
    'webhook-timestamp': String(hourAgo),
    'webhook-signature': signStandard(secret, id, hourAgo, sent.body),
  };
  const forged = {
    ...sent.headers,
    'webhook-signature': signStandard(
      newSecret,
      id,
      Number(sent.headers['webhook-timestamp']),
      sent.body,
    ),
    'x-webhook-signature': signBody(newSecret, sent.body),
  };
  return [
    [{ secret, ...sent }, [true, true]],
    [{ secret, ...sent, body: Buffer.concat([sent.body, Buffer.from(' ')]) }, [false, false]],
    [{ secret, ...sent, headers: forged }, [false, false]],
    [{ secret, ...sent, headers: old }, [false, true]],
    [{ secret, ...sent, headers: {} }, [false, false]],
    [{ secret: newSecret, ...sent }, [false, false]],
    [{ secret, ...during }, [true, true]],
    [{ secret: newSecret, ...during }, [true, true]],
  ];
}

const HEADERS = [
  ...(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const),
  ...(['x-webhook-signature', 'x-webhook-signature-next'] as const),
];

/** One line for each delivery: the secret, the body and the headers, each in base64 (`-` if missing). */
const linesOf = (all: readonly Delivery[]) =>
  all
    .map(({ secret, body, headers }) =>
      [secret, body, ...HEADERS.map((name) => headers[name] ?? '')]
        .map((value) => Buffer.from(value).toString('base64') || '-')
        .join(' '),
    )
    .join('\n');

type Language = {
  name: string;
  sample: string;
  /** Prints its version if it is installed. */
  tool: [string, ...string[]];
  /** Files that read the lines from standard input and print two words for each. */
  files: Record<string, string>;
  commands: [string, ...string[]][];
};

const LANGUAGES: Language[] = [
  {
    name: 'TypeScript',
    sample: 'verify.ts',
    tool: [process.execPath, '--version'],
    files: {
      'check.ts': `
  import { readFileSync } from 'node:fs';
  import { isBodyGenuine, isGenuine } from './verify.ts';
const NAMES = ${JSON.stringify(HEADERS)};
for (const line of readFileSync(0, 'utf8').split('\\n')) {
  const [secret, body, ...values] = line.split(' ').map((value) => Buffer.from(value, 'base64'));
  const given = NAMES.map((name, index) => [name, values[index].toString()]).filter(([, value]) => value);
  const headers = Object.fromEntries(given);
  console.log(isGenuine(secret.toString(), headers, body), isBodyGenuine(secret.toString(), headers, body));
}`,
    },
    commands: [[process.execPath, 'check.ts']],
  },
  {
    name: 'Python',
    sample: 'verify.py',
    tool: ['python3', '--version'],
    files: {
      'check.py': `
import base64, sys
import verify
names = ${JSON.stringify(HEADERS)}
def decode(value): return b"" if value == "-" else base64.b64decode(value)
for line in sys.stdin.read().split("\\n"):
    secret, body, *values = [decode(value) for value in line.split(" ")]
    headers = {name: value.decode() for name, value in zip(names, values) if value}
    results = verify.is_genuine(secret.decode(), headers, body), verify.is_body_genuine(secret.decode(), headers, body)
    print(*[str(result).lower() for result in results])
`,
    },
    commands: [['python3', 'check.py']],
  },
  {
    name: 'Go',
    sample: 'verify.go',
    tool: ['go', 'version'],
    files: {
      'go.mod': 'module sample\n\ngo 1.19\n',
      'main.go': `
package main

import ("bufio"; "encoding/base64"; "fmt"; "net/http"; "os"; "strings"; "sample/webhooks")

func decode(value string) []byte {
	if value == "-" { return nil }
	bytes, _ := base64.StdEncoding.DecodeString(value)
	return bytes
}

func main() {
	names := []string{${HEADERS.map((name) => JSON.stringify(name)).join(', ')}}
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		words := strings.Split(scanner.Text(), " ")
		header := http.Header{}
		for index, name := range names {
			if value := decode(words[index+2]); value != nil { header.Set(name, string(value)) }
		}
		secret, body := string(decode(words[0])), decode(words[1])
		fmt.Println(webhooks.IsGenuine(secret, header, body), webhooks.IsBodyGenuine(secret, header, body))
	}
}
`,
    },
    commands: [['go', 'run', '.']],
  },
  {
    name: 'Java',
    sample: 'Webhooks.java',
    tool: ['javac', '-version'],
    files: {
      'Check.java': `
import java.util.*;

class Check {
    static byte[] decode(String value) { return value.equals("-") ? new byte[0] : Base64.getDecoder().decode(value); }
    public static void main(String[] arguments) {
        List<String> names = List.of(${HEADERS.map((name) => JSON.stringify(name)).join(', ')});
        Scanner scanner = new Scanner(System.in);
        while (scanner.hasNextLine()) {
            String[] words = scanner.nextLine().split(" ");
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            for (int index = 0; index < names.size(); index++)
                if (!words[index + 2].equals("-")) headers.put(names.get(index), new String(decode(words[index + 2])));
            String secret = new String(decode(words[0]));
            byte[] body = decode(words[1]);
            System.out.println(Webhooks.isGenuine(secret, headers::get, body) + " " + Webhooks.isBodyGenuine(secret, headers::get, body));
        }
    }
}
`,
    },
    commands: [
      ['javac', 'Webhooks.java', 'Check.java'],
      ['java', '-cp', '.', 'Check'],
    ],
  },
];

const isInstalled = ([tool, ...words]: Language['tool']) =>
  spawnSync(tool, words, { stdio: 'ignore' }).status === 0;

/** Runs the sample on these deliveries. Returns its output, one line for each. */
function run({ sample, files, commands, name }: Language, all: readonly Delivery[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sample-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // Go allows one package for each folder.
  const place = name === 'Go' ? path.join(folder, 'webhooks') : folder;
  mkdirSync(place, { recursive: true });
  writeFileSync(path.join(place, sample), SAMPLES.get(sample) ?? '');
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
  let output = '';
  for (const [command, ...words] of commands) {
    const { stdout, stderr, status } = spawnSync(command, words, {
      cwd: folder,
      input: linesOf(all),
      encoding: 'utf8',
      env: { ...process.env, GOCACHE: path.join(tmpdir(), 'servicing-go-cache'), GOFLAGS: '' },
    });
    if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
    output = stdout;
  }
  return output;
}

const known = await deliveries();

test.each(LANGUAGES)(
  'the $name sample accepts our deliveries, and refuses a wrong signature, a changed body and an old delivery',
  (language) => {
    const text = SAMPLES.get(language.sample) ?? '';

    // Without the tool, the sample is only read: both schemes, all headers, and comparison in constant time.
    for (const word of ['sha256=', 'v1,', 'whsec_', 'webhook-id', 'webhook-timestamp'])
      expect(text.toLowerCase()).toContain(word);
    for (const word of ['webhook-signature', 'x-webhook-signature-next'])
      expect(text.toLowerCase()).toContain(word);
    expect(text).toMatch(/timingSafeEqual|compare_digest|hmac\.Equal|MessageDigest\.isEqual/);
    if (!isInstalled(language.tool)) {
      expect(['Go', 'Java', 'Python']).toContain(language.name);
      console.warn(
        `${language.tool[0]} is not installed: the ${language.name} sample was not run.`,
      );
      return;
    }
    const answers = run(
      language,
      known.map(([delivery]) => delivery),
    );

    expect(answers.trim().split('\n')).toEqual(known.map(([, verdict]) => verdict.join(' ')));
  },
  120_000,
);

test('the example for receivers in other languages has the signatures that we would send', () => {
  const row = (name: string) => {
    const found = GUIDE.match(new RegExp(`^\\| ${name} \\| \`([^\`]+)\` \\|$`, 'm'));
    return found?.[1] ?? '';
  };
  const [secret, id] = [row('Secret'), row('`webhook-id`')];
  const body = Buffer.from(row('Body'));

  expect(row('`webhook-signature`')).toBe(
    signStandard(secret, id, Number(row('`webhook-timestamp`')), body),
  );
  expect(row('`X-Webhook-Signature`')).toBe(signBody(secret, body));
});
