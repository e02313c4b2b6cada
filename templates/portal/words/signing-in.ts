import type { Phrases } from './phrases.ts';

/** Signing in, invitations and password resets. */
export const signingIn = {
  sign_in: ['Sign in', 'Iniciar sesión'],
  sign_out: ['Sign out', 'Cerrar sesión'],
  forgot_password: ['Forgot your password?', '¿Olvidó su contraseña?'],
  'forgot_password.how': [
    "Enter your email address. If it belongs to an account, we'll send you a link to choose a new password.",
    'Escriba su correo electrónico. Si pertenece a una cuenta, le enviaremos un enlace para elegir una contraseña nueva.',
  ],
  'forgot_password.send': ['Send the link', 'Enviar el enlace'],
  'forgot_password.sent': [
    'If that address belongs to an account, we sent a link to it. The link works for one hour.',
    'Si ese correo pertenece a una cuenta, le enviamos un enlace. El enlace funciona durante una hora.',
  ],
  choose_password: ['Choose a password', 'Elija una contraseña'],
  'choose_password.how': [
    'Several unrelated words are safer than one word with symbols. Spaces are allowed.',
    'Varias palabras sin relación entre sí son más seguras que una sola con símbolos. Puede usar espacios.',
  ],
  'choose_password.expired': [
    'This link no longer works. Each link works once and for a limited time. If you have already chosen a password, sign in with it.',
    'Este enlace ya no funciona. Cada enlace funciona una sola vez y por un tiempo limitado. Si ya eligió una contraseña, inicie sesión con ella.',
  ],
  'choose_password.new_link': ['Get a new link', 'Obtener un enlace nuevo'],
  'choose_password.submit': ['Save password', 'Guardar la contraseña'],
  second_factor: ['Enter your code', 'Escriba su código'],
  'second_factor.why': [
    'One more step confirms that it is you.',
    'Ya casi ha entrado. Falta un paso para confirmar que es usted.',
  ],
  'second_factor.hint': [
    'The six digits that your authenticator app shows now.',
    'Los seis dígitos que muestra ahora su aplicación de autenticación.',
  ],
  'second_factor.lost': [
    "I can't use my app. Enter a recovery code",
    'No puedo usar mi aplicación. Escribir un código de recuperación',
  ],
  'second_factor.recovery': ['Enter a recovery code', 'Escriba un código de recuperación'],
  enroll_factor: ['Set up two-step verification', 'Configure la verificación en dos pasos'],
  'enroll_factor.why': [
    'Signing in here requires two-step verification. You need an authenticator app on your phone.',
    'Para entrar aquí hace falta un segundo paso además de su contraseña. Necesita una aplicación de autenticación en su teléfono.',
  ],
  'enroll_factor.start': ['Start', 'Empezar'],
  'enroll_factor.scan': [
    'Scan this QR code with the app.',
    'Escanee este código QR con la aplicación.',
  ],
  'enroll_factor.qr_code': ['QR code for the app', 'Código QR para la aplicación'],
  'enroll_factor.secret': [
    'Or enter this key in the app:',
    'O escriba esta clave en la aplicación:',
  ],
  'enroll_factor.code': [
    'Enter the six digits that the app then shows.',
    'Escriba los seis dígitos que muestre la aplicación.',
  ],
  recovery_codes: ['Your recovery codes', 'Sus códigos de recuperación'],
  'recovery_codes.keep': [
    'Write these codes down now. We show them only once. Each code lets you sign in once if you lose your phone.',
    'Anote estos códigos ahora. Se muestran una sola vez. Cada código le permite iniciar sesión una vez si pierde su teléfono.',
  ],
  start: ['Where do you want to go?', '¿A dónde quiere ir?'],
  'start.portal': ['Borrower portal', 'Portal de clientes'],
  'start.portal_hint': [
    'See your loans, make payments and read your documents.',
    'Consulte sus préstamos, haga pagos y lea sus documentos.',
  ],
  'start.staff': ['Staff sign-in', 'Acceso del personal'],
  'start.staff_hint': [
    'For people who work for the lender.',
    'Para quienes trabajan en la entidad.',
  ],
  'start.docs_hint': [
    'Guides and reference for developers.',
    'Guías y referencia para desarrolladores.',
  ],
  'start.ops': ['Operations', 'Operaciones'],
  'start.ops_hint': ['Jobs and queues, for operators.', 'Tareas y colas, para operadores.'],
  staff: ['You are signed in', 'Ha iniciado sesión'],
  'staff.signed_in_as': ['Signed in as {email}.', 'Sesión iniciada como {email}.'],
  'staff.api': [
    "To work with loans, use the API or your organization's dashboard.",
    'Para trabajar con los préstamos, use la API o el panel de su organización.',
  ],
  'staff.docs': ['API documentation', 'Documentación de la API'],
  'staff.reconciliations': ['Reconciliations', 'Conciliaciones'],
  'staff.provider': ['Sign in with {name}', 'Iniciar sesión con {name}'],
  'staff.provider_next': [
    'Continue to {name} to sign in there. You come back here afterwards.',
    'Continúe a {name} para iniciar sesión allí. Después volverá aquí.',
  ],
  provider_return: [
    'Sign in through your organization',
    'Iniciar sesión a través de su organización',
  ],
  'provider_return.almost': [
    'Your organization has confirmed who you are. One step is left.',
    'Su organización ha confirmado quién es usted. Falta un paso.',
  ],
  'provider_return.finish': ['Finish signing in', 'Terminar el inicio de sesión'],
  'provider_return.in': ['You are signed in.', 'Ha iniciado sesión.'],
  'provider_return.denied': [
    'Your organization refused the sign-in, or you canceled it there.',
    'Su organización rechazó el inicio de sesión, o usted lo canceló allí.',
  ],
  'provider_return.failed': [
    'Your organization did not confirm who you are.',
    'Su organización no confirmó quién es usted.',
  ],
  'provider_return.again': [
    'To sign in, start again here or from your dashboard.',
    'Para iniciar sesión, empiece de nuevo aquí o desde su panel.',
  ],
  'provider_return.onward': ['Go to {to}', 'Ir a {to}'],
  provider_link: ['Confirm the link', 'Confirme el vínculo'],
  'provider_link.what': [
    "From now on you can sign in here through your organization. Your password and two-step verification don't change.",
    'A partir de ahora podrá iniciar sesión aquí a través de su organización. Su contraseña y su verificación en dos pasos no cambian.',
  ],
  'provider_link.confirm': ['Link my account', 'Vincular mi cuenta'],
  'provider_link.not_you': [
    'If you did not just sign in at your organization, close this page.',
    'Si no acaba de iniciar sesión en su organización, cierre esta página.',
  ],
  'done.link_needed': [
    'You have an account here. Sign in with your password once to link it to your organization.',
    'Usted ya tiene una cuenta aquí. Entre una vez con su contraseña para vincularla a su organización.',
  ],
  'done.linked': [
    'Your account is linked to your organization.',
    'Su cuenta está vinculada a su organización.',
  ],
  'refused.no_link_to_confirm': [
    'This sign-in took too long, or was started in another browser. Sign in at your organization again.',
    'Este inicio de sesión tardó demasiado o comenzó en otro navegador. Vuelva a entrar en su organización.',
  ],
  'done.sign_in_over': [
    'This sign-in has expired or is already complete.',
    'Este inicio de sesión caducó o ya se completó.',
  ],
  'refused.provider_slow': [
    'Your organization has not answered yet. Try again in a moment.',
    'Su organización no ha respondido todavía. Inténtelo de nuevo en un momento.',
  ],
  'done.signed_out': ['You are signed out.', 'Ha cerrado la sesión.'],
  'done.signed_out_by_time': [
    'You were signed out after a period of inactivity. Sign in again.',
    'Su sesión se cerró por inactividad. Inicie sesión de nuevo.',
  ],
  'done.password_chosen': [
    'Your password is saved. Sign in with it.',
    'Su contraseña está guardada. Inicie sesión con ella.',
  ],
} as const satisfies Phrases;
