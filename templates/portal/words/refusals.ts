import type { Words } from '../words.ts';

/** What stands in the way, and what to do about it. */
export const refusals = {
  'refused_title.400': ['That was not understood', 'No se entendió la solicitud'],
  'refused_what.400': [
    'Your browser sent something that we could not read. Go back and try again.',
    'Su navegador envió algo que no pudimos leer. Vuelva atrás e inténtelo de nuevo.',
  ],
  'refused_title.403': ['You don’t have access to this page', 'No tiene acceso a esta página'],
  'refused_what.403': ['Sign in with another account.', 'Inicie sesión con otra cuenta.'],
  'refused_title.csrf_failed': ['This page has expired', 'Esta página ha caducado'],
  'refused_what.csrf_failed': [
    'Nothing was sent. Open the page again and send the form from there.',
    'No se envió nada. Abra la página de nuevo y envíe el formulario desde ahí.',
  ],
  'refused_title.second_factor_required': [
    'Two-step verification is required',
    'Se requiere la verificación en dos pasos',
  ],
  'refused_what.second_factor_required': [
    'Set up two-step verification, then sign in again.',
    'Configure la verificación en dos pasos e inicie sesión de nuevo.',
  ],
  refused_other_account: ['Sign out and use another account', 'Cerrar sesión y usar otra cuenta'],
  refused_open_again: ['Open the page again', 'Abrir la página de nuevo'],
  'refused_title.404': ['There is no such page', 'Esta página no existe'],
  'refused_what.404': [
    'The address may be wrong, or what it led to is gone. Look for it from the overview.',
    'La dirección puede estar mal, o lo que había en ella ya no está. Búsquelo desde el resumen.',
  ],
  'refused_title.405': ['That does not work here', 'Eso no funciona aquí'],
  'refused_what.405': [
    'Open the page from the overview and try again.',
    'Abra la página desde el resumen e inténtelo de nuevo.',
  ],
  'refused_title.409': ['That is not possible now', 'Eso no es posible ahora'],
  'refused_what.409': [
    'Something has changed meanwhile. Look at it again from the overview.',
    'Algo cambió mientras tanto. Véalo de nuevo desde el resumen.',
  ],
  'refused_title.413': ['The file is too large', 'El archivo es demasiado grande'],
  'refused_what.413': [
    'Send a smaller file, or several.',
    'Envíe un archivo más pequeño, o varios.',
  ],
  'refused_title.415': ['That form cannot be read', 'Ese formulario no se puede leer'],
  'refused_what.415': [
    'Open the page again and send the form from there.',
    'Abra la página de nuevo y envíe el formulario desde ahí.',
  ],
  'refused_title.422': ['Something is missing', 'Falta algo'],
  'refused_what.422': [
    'Go back, look at what you entered and try again.',
    'Vuelva atrás, revise lo que escribió e inténtelo de nuevo.',
  ],
  'refused_title.429': ['Too many attempts', 'Demasiados intentos'],
  'refused_what.429': [
    'Wait a little before you try again.',
    'Espere un poco antes de intentarlo de nuevo.',
  ],
  'refused_title.500': ['Something went wrong on our side', 'Algo falló de nuestro lado'],
  'refused_what.500': [
    'Nothing was changed. Try again; if it happens again, tell us.',
    'No se cambió nada. Inténtelo de nuevo; si vuelve a ocurrir, avísenos.',
  ],
  'refused_title.503': ['We are away for a moment', 'No estamos disponibles por un momento'],
  'refused_what.503': [
    'Nothing is lost. Try again in a minute.',
    'No se ha perdido nada. Inténtelo de nuevo en un minuto.',
  ],
  refused_wait: ['Try again in {seconds} seconds.', 'Inténtelo de nuevo en {seconds} segundos.'],
  'refused.invalid_credentials': [
    'The email address or the password is wrong.',
    'El correo electrónico o la contraseña no son correctos.',
  ],
  'refused.invalid_code': [
    'The code is wrong, or was used.',
    'El código no es correcto, o ya se usó.',
  ],
  'refused.throttled': [
    'Too many attempts. Try again in {seconds} seconds.',
    'Demasiados intentos. Inténtelo de nuevo en {seconds} segundos.',
  ],
  'refused.payload_too_large': [
    'The file is too large. Send a smaller one.',
    'El archivo es demasiado grande. Envíe uno más pequeño.',
  ],
} as const satisfies Words;
