import { HttpRefusal } from '../http/errors.ts';

export const pageNotFound = () => new HttpRefusal(404, 'not_found', 'This page does not exist.');
