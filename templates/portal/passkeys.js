/**
 * Passkeys need a script; whoever has none does without them. What is made or signed is put into a field of
 * the form, which goes the way of all forms: nothing is fetched.
 */
const credentials = window.PublicKeyCredential;
const isAble = typeof credentials?.parseCreationOptionsFromJSON === 'function';
for (const element of document.querySelectorAll('[data-passkeys]')) element.hidden = !isAble;

const form = document.querySelector('form[data-options]');
if (isAble && form) {
  const options = JSON.parse(form.dataset.options);
  const ask = {
    create: () =>
      navigator.credentials.create({
        publicKey: credentials.parseCreationOptionsFromJSON(options),
      }),
    get: () =>
      navigator.credentials.get({ publicKey: credentials.parseRequestOptionsFromJSON(options) }),
  }[form.dataset.does];
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const trouble = form.querySelector('[role=alert]');
    trouble.hidden = true;
    try {
      form.elements.credential.value = JSON.stringify((await ask()).toJSON());
      form.submit();
    } catch {
      trouble.hidden = false;
    }
  });
}
