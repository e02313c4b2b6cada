import type { Words } from '../words.ts';

/** The second step of signing in, as its owner looks after it. */
export const factors = {
  factors: ['Two-step verification', 'Verificación en dos pasos'],
  'factors.what': [
    'With two-step verification, somebody who learns your password still cannot sign in.',
    'Con la verificación en dos pasos, quien averigüe su contraseña no podrá entrar.',
  ],
  'factors.look': ['Manage two-step verification', 'Administrar la verificación en dos pasos'],
  'factors.yours': ['Your methods', 'Sus métodos'],
  'factors.none': [
    'Two-step verification is off.',
    'La verificación en dos pasos está desactivada.',
  ],
  'factors.required': [
    'You need at least one to sign in here.',
    'Necesita al menos uno para entrar aquí.',
  ],
  'factors.since': ['Set up on {date}', 'Configurado el {date}'],
  'factors.codes_left': ['Left: {count}', 'Quedan: {count}'],
  'factors.add_app': ['Set up an authenticator app', 'Configurar una aplicación'],
  'factors.app_what': [
    'You need an authenticator app on your phone. It shows a new code every half minute.',
    'Necesita una aplicación de autenticación en su teléfono. Muestra un código nuevo cada medio minuto.',
  ],
  'factors.add_passkey': ['Set up a passkey', 'Configurar una llave de acceso'],
  'factors.new_codes': ['Get new recovery codes', 'Obtener códigos de recuperación nuevos'],
  'factors.codes_what': [
    'Each code lets you in one time if you lose your phone. The codes that you have now stop working.',
    'Cada código le permite entrar una vez si pierde su teléfono. Los códigos que tiene ahora dejarán de funcionar.',
  ],
  'factors.remove': ['Remove', 'Quitar'],
  'factors.remove_title': ['Remove a verification method', 'Quitar un método de verificación'],
  'factors.remove_what': [
    'It is no longer asked for when you sign in, and you are signed out on all other devices.',
    'Ya no se pedirá al entrar, y su sesión se cerrará en todos los demás dispositivos.',
  ],
  'factor_kind.totp': ['Authenticator app', 'Aplicación de autenticación'],
  'factor_kind.passkey': ['Passkey', 'Llave de acceso'],
  'passkey.what': [
    'A passkey is kept by your phone or computer, which asks for your fingerprint, face or PIN.',
    'Su teléfono o su computadora guarda la llave de acceso y le pide su huella, su cara o su PIN.',
  ],
  'passkey.name_hint': ['To tell it from others: “My phone”.', 'Para distinguirla: «Mi teléfono».'],
  'passkey.device': [
    'Press the button, and your device asks you to confirm.',
    'Pulse el botón y su dispositivo le pedirá que confirme.',
  ],
  'passkey.make': ['Make the passkey', 'Crear la llave de acceso'],
  'passkey.use': ['Use a passkey', 'Usar una llave de acceso'],
  'passkey.otherwise': ['Sign in in another way', 'Entrar de otra manera'],
  'passkey.trouble': [
    'That did not work. Try again, or choose another way.',
    'No funcionó. Inténtelo de nuevo o elija otra manera.',
  ],
  'passkey.script': [
    'Passkeys need JavaScript, which is switched off in this browser.',
    'Las llaves de acceso necesitan JavaScript, que está desactivado en este navegador.',
  ],
  'field.name': ['Name', 'Nombre'],
  'field.credential': ['Passkey', 'Llave de acceso'],
  'done.factor_added': [
    'Two-step verification is on.',
    'La verificación en dos pasos está activada.',
  ],
  'done.factor_removed': [
    'The verification method is removed.',
    'El método de verificación se quitó.',
  ],
  'refused.second_factor_required': [
    'You need one here: set up another one first.',
    'Aquí necesita uno: configure otro primero.',
  ],
  'refused.no_second_factor': ['Set up a second step first.', 'Configure primero un segundo paso.'],
  'refused.no_passkey': [
    'You have no passkey for this address. Choose another way.',
    'No tiene ninguna llave de acceso para esta dirección. Elija otra manera.',
  ],
} as const satisfies Words;
