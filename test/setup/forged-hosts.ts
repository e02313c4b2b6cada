/**
 * Spellings of hosts that a receiver must not have, each of which some program somewhere reads as an
 * address of this machine, of its network or of a cloud's own services. The kinds are those that public
 * lists of server-side request forgery name (OWASP's cheat sheet, PayloadsAllTheThings and their sources).
 */
export const FORGED_HOSTS: Record<string, readonly string[]> = {
  'loopback in plain dotted form': ['127.0.0.1', '127.0.0.2', '127.127.127.127', '127.255.255.254'],
  'one number for all four bytes': [
    '2130706433',
    '0x7f000001',
    '0X7F000001',
    '017700000001',
    '0',
    '0x0',
  ],
  'octal and hexadecimal bytes': [
    ...[
      '0177.0.0.1',
      '00177.0.0.1',
      '0177.0.0.01',
      '0x7f.0.0.1',
      '0x7f.0x0.0x0.0x1',
      '0x7f.0.0.01',
    ],
    ...['0x7F.0.0.1', '0x0000007f.0.0.1'],
  ],
  'fewer than four bytes': [
    '127.1',
    '127.0.1',
    '0x7f.1',
    '0177.1',
    '127.65281',
    '10.1',
    '192.168.257',
  ],
  'the address of nowhere': ['0.0.0.0', '0.0.0.1', '000.0.0.0', '0.0', '255.255.255.255'],
  'digits and dots that only look so': [
    ...['①②⑦.⓪.⓪.①', '１２７.０.０.１', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '𝟏𝟐𝟕.𝟎.𝟎.𝟏'],
    ...['ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'loc\u00adalhost', '127.0.0\u200b.1', 'ｌｏｃａｌｈｏｓｔ'],
  ],
  'dots too many, and bytes too large': [
    ...[
      '127.0.0.1.',
      '127.0.0.1..',
      '127..0.0.1',
      '.127.0.0.1',
      '2130706433.',
      '[::1].',
      '256.256.256.256',
    ],
    ...['383.0.0.1', '4294967297', '127.0.0.1.1'],
  ],
  'written in percents': [
    ...['%31%32%37.0.0.1', '127%2e0%2e0%2e1', '%6c%6f%63%61%6c%68%6f%73%74', '127.0.0.1%00', '%30'],
    ...['127.0.0.1%23.example.com', '127.0.0.1%2f.example.com', '127.0.0.1%5c.example.com'],
  ],
  'names of this machine': [
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'a.localhost',
      'localhost.localdomain',
      'ip6-localhost',
    ],
    ...['ip6-loopback', 'router.lan', 'db.internal', 'printer.local', 'nas.home.arpa', 'intranet'],
  ],
  'loopback of IPv6': [
    ...[
      '[::1]',
      '[::]',
      '[0:0:0:0:0:0:0:1]',
      '[0000:0000:0000:0000:0000:0000:0000:0001]',
      '[0::1]',
    ],
    ...['[::1%25lo]', '[::1%lo]', '[0000::1]', '[::0001]'],
  ],
  'IPv4 within IPv6': [
    ...[
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:ffff:127.0.0.1]',
      '[::ffff:0:127.0.0.1]',
    ],
    ...[
      '[::127.0.0.1]',
      '[::7f00:1]',
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b:1::7f00:1]',
    ],
    ...[
      '[2002:7f00:1::]',
      '[2002:7f00:0001::1]',
      '[2001:0:0:0:0:0:80ff:fffe]',
      '[::ffff:169.254.169.254]',
    ],
    ...['[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[::ffff:10.0.0.1]'],
    ...['[::ffff:8.8.8.8]', '[64:ff9b::8.8.8.8]'],
  ],
  'networks of IPv6 that are not public': [
    ...[
      '[fe80::1]',
      '[fe80::1%25eth0]',
      '[fc00::1]',
      '[fd12:3456::1]',
      '[fec0::1]',
      '[ff02::1]',
      '[100::1]',
    ],
    ...['[2001:db8::1]', '[3fff::1]', '[5f00::1]'],
  ],
  'private networks': [
    ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '100.64.0.1'],
    ...[
      '198.18.0.1',
      '192.0.0.8',
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '192.88.99.1',
      '224.0.0.1',
    ],
    ...['240.0.0.1', '167772161', '0xC0A80001', '0xac100001', '0300.0250.0.1'],
  ],
  "clouds' own services": [
    ...[
      '169.254.169.254',
      '2852039166',
      '0xA9FEA9FE',
      '0xa9.0xfe.0xa9.0xfe',
      '0251.0376.0251.0376',
    ],
    ...['169.254.43518', '169.16689662', '169.254.169.254.', '169.254.170.2', '[fd00:ec2::254]'],
    ...['100.100.100.200', '192.0.0.192', '168.63.129.16', 'metadata.google.internal', 'metadata'],
    ...['instance-data', 'instance-data.ec2.internal', 'metadata.azure.internal'],
  ],
  'a user in front of the host': [
    ...[
      'hooks.example.com@127.0.0.1',
      'hooks.example.com:443@127.0.0.1',
      '127.0.0.1@hooks.example.com',
    ],
    ...[
      'hooks.example.com%40127.0.0.1',
      'hooks.example.com%20@127.0.0.1',
      '@127.0.0.1',
      ':@127.0.0.1',
    ],
    ...['hooks.example.com#@127.0.0.1', '127.0.0.1#@hooks.example.com', 'a@b@127.0.0.1'],
  ],
  'backslashes, blanks and signs of no width': [
    ...[
      'hooks.example.com\\@127.0.0.1',
      '127.0.0.1\\@hooks.example.com',
      '\\127.0.0.1',
      '/127.0.0.1',
    ],
    ...[
      '127.0.0\t.1',
      '127.0.0.1\n',
      '127.0.0.1\r\nHost: hooks.example.com',
      ' 127.0.0.1',
      '127.0.0.1 ',
    ],
    ...['hooks.example.com\u0000.127.0.0.1', '\u2000127.0.0.1', '127.0.0.1;hooks.example.com'],
  ],
};

/** The same address by way of another scheme, or of a URL that is written in another way. */
export const FORGED_URLS: readonly string[] = [
  ...['http://127.0.0.1/', 'http://hooks.example.com/', 'ftp://127.0.0.1/', 'file:///etc/passwd'],
  ...[
    'gopher://127.0.0.1:6379/_INFO',
    'dict://127.0.0.1:11211/stat',
    'ldap://127.0.0.1/',
    'tftp://127.0.0.1/',
  ],
  ...['jar:https://127.0.0.1/!/', 'data:text/plain,x', 'javascript:1', 'blob:https://127.0.0.1/x'],
  ...['https:127.0.0.1/', 'https:/127.0.0.1/', 'https:///127.0.0.1/', 'https:\\\\127.0.0.1\\'],
  ...[
    '//127.0.0.1/',
    '127.0.0.1',
    'unix:/var/run/docker.sock',
    'wss://127.0.0.1/',
    'HtTp://127.0.0.1/',
  ],
  ...['view-source:https://127.0.0.1/', '\u0001https://127.0.0.1/', 'https\u00a0://127.0.0.1/'],
];

/** Public names that answer with what they should not: what a name server may say at any time. */
export const FORGED_ANSWERS: readonly (readonly string[])[] = [
  ...[
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
  ].map((address) => [address]),
  ...['2002:7f00:1::', '2001::1', '10.0.0.1', '169.254.169.254', 'fd00:ec2::254', 'fe80::1%lo'].map(
    (address) => [address],
  ),
  ...[
    '64:ff9b:1::7f00:1',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    'fec0::1',
    '100::1',
    '2001:2::1',
  ].map((address) => [address]),
  ...['198.51.100.1', '100.64.0.1', '192.0.0.192', '168.63.129.16', '240.0.0.1'].map((address) => [
    address,
  ]),
  ['8.8.8.8', '127.0.0.1'],
  ['127.0.0.1', '8.8.8.8'],
  ['2606:4700::1111', '::1'],
  ['8.8.8.8', '2606:4700::1111', '::ffff:127.0.0.1'],
  ['127.1'],
  ['0x7f000001'],
  ['not an address'],
  [''],
  [],
];
