import { HttpRefusal } from '../http/errors.ts';

export const missing = () => new HttpRefusal(404, 'not_found', 'This page does not exist.');
