import type { Phrases } from './phrases.ts';

/** Managing two-step verification. */
export const factors = {
  factors: ['Two-step verification', 'Verificación en dos pasos'],
  'factors.what': [
    'With two-step verification, somebody who learns your password still cannot sign in.',
    'Con la verificación en dos pasos, quien averigüe su contraseña no podrá entrar.',
  ],
  'factors.manage': ['Manage two-step verification', 'Administrar la verificación en dos pasos'],
  'factors.list': ['Your methods', 'Sus métodos'],
  'factors.none': [
    'Two-step verification is off.',
    'La verificación en dos pasos está desactivada.',
  ],
  'factors.required': [
    'You need at least one method to sign in here.',
    'Necesita al menos un método para iniciar sesión aquí.',
  ],
  'factors.since': ['Set up on {date}', 'Configurado el {date}'],
  'factors.codes_left': ['Left: {count}', 'Quedan: {count}'],
  'factors.add_app': ['Set up an authenticator app', 'Configurar una aplicación de autenticación'],
  'factors.app_what': [
    'You need an authenticator app on your phone. It shows a new code every 30 seconds.',
    'Necesita una aplicación de autenticación en su teléfono. Muestra un código nuevo cada 30 segundos.',
  ],
  'factors.add_passkey': ['Set up a passkey', 'Configurar una llave de acceso'],
  'factors.new_codes': ['Get new recovery codes', 'Obtener códigos de recuperación nuevos'],
  'factors.codes_what': [
    'Each code lets you sign in once if you lose your phone. Your current codes stop working.',
    'Cada código le permite iniciar sesión una vez si pierde su teléfono. Los códigos actuales dejarán de funcionar.',
  ],
  'factors.remove': ['Remove', 'Quitar'],
  'factors.remove_title': ['Remove a verification method', 'Quitar un método de verificación'],
  'factors.remove_what': [
    "We'll no longer ask for it when you sign in. You'll be signed out on all other devices.",
    'Ya no se lo pediremos al iniciar sesión. Se cerrará su sesión en todos los demás dispositivos.',
  ],
  'factor_kind.totp': ['Authenticator app', 'Aplicación de autenticación'],
  'factor_kind.passkey': ['Passkey', 'Llave de acceso'],
  'passkey.what': [
    'Your phone or computer stores the passkey. It asks for your fingerprint, face or PIN.',
    'Su teléfono o su computadora guarda la llave de acceso y le pide su huella, su cara o su PIN.',
  ],
  'passkey.name_hint': [
    'A name to recognize it by, such as “My phone”.',
    'Un nombre para reconocerla, por ejemplo «Mi teléfono».',
  ],
  'passkey.device': [
    'Press the button. Your device then asks you to confirm.',
    'Pulse el botón. Su dispositivo le pedirá que confirme.',
  ],
  'passkey.create': ['Create the passkey', 'Crear la llave de acceso'],
  'passkey.use': ['Use a passkey', 'Usar una llave de acceso'],
  'passkey.otherwise': ['Sign in another way', 'Iniciar sesión de otra manera'],
  'passkey.trouble': [
    'That did not work. Try again, or choose another way.',
    'No funcionó. Inténtelo de nuevo o elija otra manera.',
  ],
  'passkey.script': [
    'Passkeys need JavaScript, which is turned off in this browser.',
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
    'You need at least one verification method. Set up another one first.',
    'Necesita al menos un método de verificación. Configure otro primero.',
  ],
  'refused.no_second_factor': [
    'Set up two-step verification first.',
    'Configure primero la verificación en dos pasos.',
  ],
  'refused.no_passkey': [
    'You have no passkey for this site. Choose another way.',
    'No tiene ninguna llave de acceso para este sitio. Elija otra manera.',
  ],
} as const satisfies Phrases;
