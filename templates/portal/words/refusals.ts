import type { Phrases } from './phrases.ts';

/** Errors, and what the user can do about them. */
export const refusals = {
  'refused_title.400': ["We couldn't read your request", 'No pudimos leer su solicitud'],
  'refused_what.400': ['Go back and try again.', 'Vuelva atrás e inténtelo de nuevo.'],
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
  'refused_title.404': ["We can't find this page", 'No encontramos esta página'],
  'refused_what.404': [
    'The address may be wrong, or the page may have been removed. Look for it from the overview.',
    'La dirección puede estar mal o la página ya no existe. Búsquela desde el resumen.',
  ],
  'refused_title.unknown_address': ["We can't find this page", 'No encontramos esta página'],
  'refused_what.unknown_address': [
    'Nothing is at this address. Choose where you want to go.',
    'No hay nada en esta dirección. Elija a dónde quiere ir.',
  ],
  'refused_title.405': ["This page can't do that", 'Esta página no permite esa acción'],
  'refused_what.405': [
    'Open the page from the overview and try again.',
    'Abra la página desde el resumen e inténtelo de nuevo.',
  ],
  'refused_title.409': ['This is not possible right now', 'Esto no es posible en este momento'],
  'refused_what.409': [
    'Something changed while the page was open. Check it from the overview.',
    'Algo cambió mientras la página estaba abierta. Revíselo desde el resumen.',
  ],
  'refused_title.413': ['The file is too large', 'El archivo es demasiado grande'],
  'refused_what.413': [
    'Send a smaller file, or split it into several.',
    'Envíe un archivo más pequeño o divídalo en varios.',
  ],
  'refused_title.415': ["We couldn't read this form", 'No pudimos leer este formulario'],
  'refused_what.415': [
    'Open the page again and send the form from there.',
    'Abra la página de nuevo y envíe el formulario desde ahí.',
  ],
  'refused_title.422': ['Check your entries', 'Revise sus datos'],
  'refused_what.422': [
    'Go back, correct your entries and try again.',
    'Vuelva atrás, corrija los datos e inténtelo de nuevo.',
  ],
  'refused_title.429': ['Too many attempts', 'Demasiados intentos'],
  'refused_what.429': [
    'Wait a little before you try again.',
    'Espere un poco antes de intentarlo de nuevo.',
  ],
  'refused_title.500': ['Something went wrong on our side', 'Algo falló de nuestro lado'],
  'refused_what.500': [
    'Nothing was changed. Try again. If it happens again, contact us.',
    'No se cambió nada. Inténtelo de nuevo. Si vuelve a ocurrir, comuníquese con nosotros.',
  ],
  'refused_title.503': ['Service temporarily unavailable', 'Servicio no disponible por el momento'],
  'refused_what.503': [
    'Your data is safe. Try again in a minute.',
    'Sus datos están a salvo. Inténtelo de nuevo en un minuto.',
  ],
  refused_wait: ['Try again in {seconds} seconds.', 'Inténtelo de nuevo en {seconds} segundos.'],
  'refused.invalid_credentials': [
    'The email address or password is wrong.',
    'El correo electrónico o la contraseña no son correctos.',
  ],
  'refused.invalid_code': [
    'The code is wrong or was already used.',
    'El código no es correcto o ya se usó.',
  ],
  'refused.throttled': [
    'Too many attempts. Try again in {seconds} seconds.',
    'Demasiados intentos. Inténtelo de nuevo en {seconds} segundos.',
  ],
  'refused.payload_too_large': [
    'The file is too large. Send a smaller one.',
    'El archivo es demasiado grande. Envíe uno más pequeño.',
  ],
} as const satisfies Phrases;
