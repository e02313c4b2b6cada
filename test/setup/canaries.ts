/** Values that must never appear in a log: one of each kind of personal data, easy to search for. */
export const CANARIES = {
  password: 'canary-Horse-Battery-77',
  cookie: 'canarycookie0123456789abcdefghijklmnopqrstu',
  ssn: '219-09-9999',
  account_number: '88811122233344455',
  session: 'canarysessionABCDEFGHIJKLMNOPQRSTUVWXYZ0123',
  secret: 'whsec_canary_secret_ABCDEFGH',
  email: 'canary.person@canary-mail.example',
} as const;

export const ALL_CANARIES = Object.values(CANARIES).join(' ');

/** A log that keeps its lines and can list the canaries that reached them. */
export function newCanaryLog() {
  const lines: string[] = [];
  const values = Object.values<string>(CANARIES);
  const variants = values.flatMap((value) => [
    value,
    value.replaceAll('-', ''),
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    [...Buffer.from(value)].join(','),
  ]);
  return {
    lines,
    destination: { write: (line: string) => void lines.push(line) },
    heard: () => variants.filter((value) => lines.some((line) => line.includes(value))),
    of: (message: string) =>
      lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ msg }) => msg === message),
  };
}
