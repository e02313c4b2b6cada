import type { ProviderChannel } from '../../../sql/communications/channels.ts';

/** Keywords with a meaning defined by carriers or law. Tenant rules cannot change it. */
export const KEYWORD_KINDS = ['stop', 'start', 'help'] as const;
export type KeywordKind = (typeof KEYWORD_KINDS)[number];
export type KeywordMatch = { wish: KeywordKind; language: 'en' | 'es' | null };

type Vocabulary = readonly { wish: KeywordKind; language: 'en' | 'es'; words: readonly string[] }[];

/**
 * Match a whole text message: the words of 47 CFR 64.1200(a)(10), those that carriers add, and Spanish
 * equivalents.
 */
const IN_A_TEXT: Vocabulary = [
  {
    wish: 'stop',
    language: 'en',
    words: [
      'stop',
      'stopall',
      'quit',
      'end',
      'revoke',
      'cancel',
      'unsubscribe',
      'optout',
      'opt out',
      'stop it',
      'stop this',
      'stop texts',
      'stop messages',
      'stop the messages',
      'no more',
      'remove me',
      'take me off',
      'leave me alone',
    ],
  },
  {
    wish: 'stop',
    language: 'es',
    words: ['alto', 'parar', 'pare', 'cancelar', 'cancele', 'detener', 'terminar', 'baja', 'basta'],
  },
  { wish: 'start', language: 'en', words: ['start', 'unstop', 'resume'] },
  { wish: 'start', language: 'es', words: ['iniciar', 'comenzar', 'empezar', 'reanudar'] },
  { wish: 'help', language: 'en', words: ['help', 'info'] },
  { wish: 'help', language: 'es', words: ['ayuda'] },
];

/** Match the whole subject or body of an email. "Cancel" is excluded, because it may refer to anything. */
const IN_A_MAIL: Vocabulary = [
  { wish: 'stop', language: 'en', words: ['unsubscribe', 'optout', 'opt out'] },
  { wish: 'stop', language: 'es', words: ['cancelar suscripcion', 'darme de baja'] },
];

/** Match anywhere in a text message: other wordings that a reasonable person understands as an opt-out. */
const SENTENCES: Vocabulary = [
  {
    wish: 'stop',
    language: 'en',
    words: [
      'stop texting',
      'stop messaging',
      'stop contacting',
      'stop sending',
      'stop the texts',
      'stop these texts',
      'stop these messages',
      'stop all texts',
      'stop all messages',
      'quit texting',
      'quit messaging',
      'do not text',
      'dont text',
      'do not message me',
      'dont message me',
      'no more texts',
      'no more messages',
      'no more text messages',
      'do not contact me',
      'dont contact me',
      'stop all text messages',
      'stop text messages',
      'revoke my consent',
      'revoke consent',
      'withdraw my consent',
      'withdraw consent',
      'unsubscribe me',
      'opt me out',
      'want to opt out',
      'remove me from your',
      'remove me from this',
      'remove me from the list',
      'take me off your',
      'take me off this',
      'take me off the list',
      'remove my number',
      'delete my number',
      'lose my number',
    ],
  },
  {
    wish: 'stop',
    language: 'es',
    words: [
      'no me envie',
      'no me envien',
      'no me mande',
      'no me manden',
      'no me escriba',
      'no me escriban',
      'no mas mensajes',
      'no quiero mensajes',
      'no quiero mas mensajes',
      'deje de enviar',
      'dejen de enviar',
      'deje de enviarme',
      'dejen de enviarme',
      'deje de mandarme',
      'dejen de mandarme',
      'deme de baja',
      'darme de baja',
      'no me mandes',
      'no me envies',
      'no me escribas',
      'deja de mandarme',
      'deja de enviarme',
      'deje de mandar mensajes',
      'dejen de mandar mensajes',
      'revoco mi consentimiento',
    ],
  },
];

/** Courtesies and emphasis that people add to a keyword. */
const FILLERS = new Set(
  'please pls plz thanks thank you now all immediately por favor gracias ya'.split(' '),
);
/** These words before a sentence negate it. */
const NEGATIONS = ['dont', 'not', 'never', 'didnt'];
/** Only the beginning of a message is examined. */
const READ_CHARACTERS = 1_000;

/** Returns the keyword that a message contains, or null. */
export function matchKeyword(
  channel: ProviderChannel,
  { subject, body }: { subject?: string | null | undefined; body: string },
): KeywordMatch | null {
  if (channel === 'sms') return wholly(IN_A_TEXT, body) ?? somewhere(SENTENCES, body);
  return wholly(IN_A_MAIL, subject ?? '') ?? wholly(IN_A_MAIL, body);
}

function wholly(vocabulary: Vocabulary, text: string): KeywordMatch | null {
  const words = wordsOf(text);
  const bare = words.filter((word) => !FILLERS.has(word));
  const once = [...new Set(bare)].join(' ');
  const spellings = [words.join(' '), words.join(''), bare.join(' '), once];
  return found(vocabulary, (word) => spellings.includes(word));
}

function somewhere(vocabulary: Vocabulary, text: string): KeywordMatch | null {
  const whole = ` ${wordsOf(text).join(' ')} `;
  return found(vocabulary, (sentence) => {
    const before = whole.split(` ${sentence} `).slice(0, -1);
    return before.some((text) => !NEGATIONS.some((word) => ` ${text}`.endsWith(` ${word}`)));
  });
}

function found(vocabulary: Vocabulary, isSaid: (word: string) => boolean): KeywordMatch | null {
  const spoken = vocabulary.find(({ words }) => words.some(isSaid));
  return spoken ? { wish: spoken.wish, language: spoken.language } : null;
}

/** Lowercase words without accents and apostrophes. */
const wordsOf = (text: string): string[] =>
  text
    .slice(0, READ_CHARACTERS)
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** A single confirmation (47 CFR 64.1200(a)(12)), or contact details for HELP. */
export const KEYWORD_REPLIES: Readonly<Record<KeywordKind, Readonly<Record<'en' | 'es', string>>>> =
  {
    stop: {
      en: '{{ tenant.name }}: you will get no more text messages. Reply START to resume.',
      es: '{{ tenant.name }}: no recibirá más mensajes de texto. Responda START para reanudarlos.',
    },
    start: {
      en: '{{ tenant.name }}: you will get text messages again. Reply STOP to end them.',
      es: '{{ tenant.name }}: recibirá mensajes de texto de nuevo. Responda STOP para dejar de recibirlos.',
    },
    help: {
      en: '{{ tenant.name }}: {{ tenant.support_phone }} {{ tenant.support_email }} STOP ends texts.',
      es: '{{ tenant.name }}: {{ tenant.support_phone }} {{ tenant.support_email }} STOP: no más mensajes.',
    },
  };
