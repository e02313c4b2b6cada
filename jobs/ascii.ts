import anyAscii from 'any-ascii';

/** Emoji have no letters: their English names are no part of what somebody is called. */
const PICTURES = /\p{Extended_Pictographic}/gu;

/**
 * Writes letters of any script in ASCII, as files for banks and bureaus need them: "Łukasz" as "Lukasz", "小龙"
 * as "XiaoLong". What has no letters becomes empty.
 */
export const toAscii = (value: string): string => anyAscii(value.replace(PICTURES, ''));

/** Whether a text that says something has nothing left that a file in ASCII can hold. */
export const hasNoAsciiForm = (value: string | null | undefined): boolean =>
  Boolean(value?.trim()) && !/[A-Z0-9]/i.test(toAscii(value ?? ''));
