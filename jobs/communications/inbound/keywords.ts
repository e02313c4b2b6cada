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
const TEXT_MESSAGE_KEYWORDS: Vocabulary = [
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
const EMAIL_KEYWORDS: Vocabulary = [
  { wish: 'stop', language: 'en', words: ['unsubscribe', 'optout', 'opt out'] },
  { wish: 'stop', language: 'es', words: ['cancelar suscripcion', 'darme de baja'] },
];

/** Match anywhere in a text message: other wordings that a reasonable person understands as an opt-out. */
const OPT_OUT_PHRASES: Vocabulary = [
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
const FILLER_WORDS = new Set(
  'please pls plz thanks thank you now all immediately por favor gracias ya'.split(' '),
);
/** These words before a sentence negate it. */
const NEGATIONS = ['dont', 'not', 'never', 'didnt'];
/** Only the beginning of a message is examined. */
const MATCHED_CHARACTERS_MAX = 1_000;

/** Returns the keyword that a message contains, or null. */
export function matchKeyword(
  channel: ProviderChannel,
  { subject, body }: { subject?: string | null | undefined; body: string },
): KeywordMatch | null {
  if (channel === 'sms')
    return matchWholeText(TEXT_MESSAGE_KEYWORDS, body) ?? matchPhrase(OPT_OUT_PHRASES, body);
  return matchWholeText(EMAIL_KEYWORDS, subject ?? '') ?? matchWholeText(EMAIL_KEYWORDS, body);
}

function matchWholeText(vocabulary: Vocabulary, text: string): KeywordMatch | null {
  const words = splitWords(text);
  const bare = words.filter((word) => !FILLER_WORDS.has(word));
  const once = [...new Set(bare)].join(' ');
  const spellings = [words.join(' '), words.join(''), bare.join(' '), once];
  return matchVocabulary(vocabulary, (word) => spellings.includes(word));
}

function matchPhrase(vocabulary: Vocabulary, text: string): KeywordMatch | null {
  const whole = ` ${splitWords(text).join(' ')} `;
  return matchVocabulary(vocabulary, (sentence) => {
    const before = whole.split(` ${sentence} `).slice(0, -1);
    return before.some((text) => !NEGATIONS.some((word) => ` ${text}`.endsWith(` ${word}`)));
  });
}

function matchVocabulary(
  vocabulary: Vocabulary,
  isSaid: (word: string) => boolean,
): KeywordMatch | null {
  const match = vocabulary.find(({ words }) => words.some(isSaid));
  return match ? { wish: match.wish, language: match.language } : null;
}

/** Lowercase words without accents and apostrophes. */
const splitWords = (text: string): string[] =>
  text
    .slice(0, MATCHED_CHARACTERS_MAX)
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
