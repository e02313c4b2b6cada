/** Spanish translations of the endpoints' messages about fields. # stands for any number. */
const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['Is required.', 'Hace falta este dato.'],
  ['Tick the box to agree.', 'Marque la casilla para aceptar.'],
  ['Is required for fixed.', 'Hace falta para un monto fijo.'],
  ['Is required for minimum_due_plus.', 'Hace falta para pagar más de lo que toca.'],
  ['Is required, or send code, recovery_code or passkey.', 'Hace falta este dato.'],
  ['Is wrong.', 'No es correcto.'],
  ['Is wrong, or no enrollment was started.', 'No es correcto.'],
  ['Must not be empty.', 'No puede quedar vacío.'],
  ['Must be an email address.', 'Debe ser un correo electrónico.'],
  ['Must be more than zero.', 'Debe ser más que cero.'],
  ['Must be an amount like "#".', 'Debe ser un monto como 1234.56.'],
  ['Must be an amount like "#", not negative.', 'Debe ser un monto como 1234.56, no negativo.'],
  ['Must be a date like #-#-#.', 'Debe ser una fecha.'],
  ['Is not a day of the calendar.', 'Ese día no existe.'],
  ['Must not be in the past.', 'No puede ser una fecha pasada.'],
  ['Does not exist.', 'No existe.'],
  ['Must be six digits.', 'Deben ser seis dígitos.'],
  ['Must be a code like #-#-abcd-efgh.', 'Debe ser un código como 2345-6789-abcd-efgh.'],
  ['Must be nine digits that pass the ABA check.', 'No es un número de ruta válido.'],
  ['Enter the account number or its last four digits.', 'Escriba el número de cuenta.'],
  ['Must end in #, as this account does.', 'Debe terminar en #, como esta cuenta.'],
  ['Must be # to # digits.', 'Deben ser de 4 a 17 dígitos.'],
  ['Must be at most # characters.', 'Es demasiado largo: caben # caracteres.'],
  ['Must be at least # characters.', 'Es demasiado corto: hacen falta # caracteres.'],
  ['Must not contain the email address.', 'No puede contener su correo electrónico.'],
  ['Must not contain our name.', 'No puede contener nuestro nombre.'],
  [
    'Is too easy to guess. Use several unrelated words.',
    'Es demasiado fácil de adivinar. Use varias palabras que no tengan relación entre sí.',
  ],
  [
    'The link is not valid. It works once and for a limited time. Request a new one.',
    'El enlace no es válido. Funciona una sola vez y por tiempo limitado. Solicite otro.',
  ],
  [
    'This file type is not supported. Send a PDF, a photo or an Office file.',
    'No se aceptan archivos de este tipo: envíe un PDF, una imagen o un documento.',
  ],
  ['The provider did not identify you.', 'Su organización no dice quién es usted.'],
  [
    'The provider did not send a role that is configured here.',
    'Su organización no le da ningún papel que valga aquí.',
  ],
  [
    'There is no account here for your sign-in at the provider.',
    'Aquí no hay ninguna cuenta para quien ha entrado allí.',
  ],
  ['The account is not active.', 'La cuenta no está activa.'],
  [
    'The sign-in at the provider failed or was canceled.',
    'No se completó el inicio de sesión en su organización.',
  ],
  ['Contains a character that cannot be stored.', 'Tiene un carácter que no se puede guardar.'],
  ['Must not contain control characters.', 'Tiene un carácter que no se puede guardar.'],
]);

const NUMBER = /\d+(?:[.,]\d+)*/g;

/** Returns the message in Spanish, or undefined if it has no translation. */
export function translateToSpanish(sentence: string): string | undefined {
  const numbers = sentence.match(NUMBER) ?? [];
  const known = SENTENCES.get(sentence.replaceAll(NUMBER, '#'));
  return known?.replace('#', numbers[0] ?? '');
}
