import type { GeneratedGuide } from '../../templates/docs/guides.ts';
import { bookGuide } from '../books/book-guide.ts';
import { casesGuide } from '../cases/cases-guide.ts';
import { eventsGuide } from '../webhooks/events-guide.ts';

/**
 * Guides whose Markdown is built from declarations when the API starts. The names must not be those of
 * files in templates/guides. Add each name to GUIDE_ORDER (templates/docs/guides.ts).
 */
export const generatedGuides: readonly GeneratedGuide[] = [
  { name: 'book-format', markdown: bookGuide },
  { name: 'cases', markdown: casesGuide },
  { name: 'events', markdown: eventsGuide },
];
