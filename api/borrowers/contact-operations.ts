import {
  addContact,
  changeContact,
  contactExists,
  removeContact,
} from '../../jobs/borrowers/primary-contacts.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

/** How contacts of a borrower are created, changed and archived. A contact that exists is refused (409). */
export const contactOperations = (name: 'addresses' | 'emails' | 'phones') => {
  const conflicts = () => [contactExists(name, EXAMPLE_ID)];
  return {
    conflicts: { create: conflicts, update: conflicts },
    create: addContact(name),
    update: changeContact(name),
    remove: removeContact(name),
  };
};
