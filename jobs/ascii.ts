import anyAscii from 'any-ascii';

/** `any-ascii` would replace an emoji with its English name, which is not part of a person's name. */
const PICTOGRAPHS = /\p{Extended_Pictographic}/gu;

/**
 * Transliterates any script to ASCII, as bank and credit bureau files require: "Łukasz" becomes "Lukasz",
 * "小龙" becomes "XiaoLong". Symbols without a transliteration are removed.
 */
export const toAscii = (value: string): string => anyAscii(value.replace(PICTOGRAPHS, ''));

/** True if the text is not blank but has no letter or digit left in ASCII. */
export const hasNoAsciiForm = (value: string | null | undefined): boolean =>
  Boolean(value?.trim()) && !/[A-Z0-9]/i.test(toAscii(value ?? ''));
