/** Sentences of the endpoints about a field, in Spanish. */
export const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['Is required.', 'Hace falta este dato.'],
  ['Must not be empty.', 'No puede quedar vacío.'],
  ['Must be an email address.', 'Debe ser un correo electrónico.'],
  ['Must be more than zero.', 'Debe ser más que cero.'],
  ['Must not be in the past.', 'No puede ser una fecha pasada.'],
  ['Does not exist.', 'No existe.'],
  ['Is wrong, or the app was not begun with.', 'No es correcto.'],
]);
