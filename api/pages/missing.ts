import { HttpRefusal } from '../http/errors.ts';

export const missing = () => new HttpRefusal(404, 'not_found', 'There is no such page.');
