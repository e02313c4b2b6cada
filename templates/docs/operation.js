/* global $, BASE, callApi, csrfToken, currentUser, fillExamples, mayRead */
/**
 * The script of a page that describes one operation: the form that sends a request, and the curl commands.
 * Runs after docs.js, and after the texts of EXAMPLE_FUNCTIONS and mayRead.
 */
const form = $('form.try');
const { method, path } = form.dataset;
const permission = JSON.parse(form.dataset.permission);
const bodyField = form.elements.namedItem('body');
const fileField = form.elements.namedItem('file');
const inputs = [...form.querySelectorAll('[data-in]')];
let reader = null;

// The request

const valueOf = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The values of the form as parts of a request. */
function readRequest() {
  const values = (place) =>
    inputs
      .filter((input) => input.dataset.in === place && input.value !== '')
      .map((input) => [input.dataset.name, input.value]);
  const named = new Map(values('path'));
  const target = path.replaceAll(/\{(\w+)\}/g, (whole, name) =>
    named.has(name) ? encodeURIComponent(named.get(name)) : whole,
  );
  const query = new URLSearchParams(values('query')).toString();
  return {
    url: BASE + target + (query && `?${query}`),
    headers: Object.fromEntries(values('header')),
  };
}

/** Returns the sentence about a body that is not JSON, or null. */
function bodyProblem() {
  if (!bodyField || bodyField.value.trim() === '') return null;
  try {
    JSON.parse(bodyField.value);
    return null;
  } catch (error) {
    return `The body is not valid JSON: ${error.message}`;
  }
}

/** The fields of a form that also contains a file. */
const otherFields = () =>
  Object.entries(valueOf(bodyField.value) ?? {}).filter(([name]) => name !== 'file');

function buildBody(headers) {
  if (fileField) {
    const data = new FormData();
    const fields = otherFields();
    for (const [name, value] of fields)
      data.append(name, typeof value === 'string' ? value : JSON.stringify(value));
    // The file comes last, so that the server knows the fields before it stores the file.
    data.append('file', fileField.files[0]);
    return data;
  }
  if (!bodyField) return undefined;
  headers['Content-Type'] = 'application/json';
  return bodyField.value;
}

async function send() {
  const { url, headers } = readRequest();
  const body = buildBody(headers);
  // A signed-out reader has no token yet.
  if (method !== 'GET' && csrfToken() === '') await callApi('GET', '/auth/csrf');
  if (method !== 'GET') headers['X-CSRFToken'] = csrfToken();
  const started = performance.now();
  const response = await fetch(url, { method, headers, body });
  const text = await response.text();
  showReply(response, text, performance.now() - started);
}

const USUAL_HEADERS = new Set([
  'cache-control',
  'connection',
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'referrer-policy',
  'strict-transport-security',
  'vary',
  'x-content-type-options',
  'x-frame-options',
]);

function showReply(response, text, ms) {
  const reply = $('.reply');
  const status = $('.status', reply);
  status.textContent = `${response.status} ${response.statusText}`;
  status.className = `status ${response.ok ? 'good' : 'bad'}`;
  const headers = [...response.headers].filter(([name]) => !USUAL_HEADERS.has(name));
  $('.reply-headers', reply).textContent = headers
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  const isJson = response.headers.get('content-type')?.includes('json');
  const body = isJson && text !== '' ? JSON.parse(text) : null;
  $('.reply-body', reply).textContent = isJson ? JSON.stringify(body, null, 2) : text || '(empty)';
  $('.prove', reply).hidden = body?.code !== 'proof_required';
  reply.dataset.ms = String(Math.round(ms));
  reply.hidden = false;
  reply.scrollIntoView({ block: 'nearest' });
}

async function submit() {
  const error = $('.error', form);
  const button = $('button', form);
  error.textContent = bodyProblem() ?? '';
  error.hidden = error.textContent === '';
  if (!error.hidden) return bodyField.focus();
  button.disabled = true;
  try {
    await send();
  } catch {
    error.textContent = 'The server did not answer. Check your connection and try again.';
    error.hidden = false;
  }
  button.disabled = false;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});

$('.prove').addEventListener('submit', async (event) => {
  event.preventDefault();
  const input = $('input', event.target);
  const error = $('.error', event.target);
  const isCode = /^\d{6}$/.test(input.value);
  const proof = isCode ? { code: input.value } : { current_password: input.value };
  const { ok, body } = await callApi('POST', '/auth/prove', proof);
  input.value = '';
  error.hidden = ok;
  error.textContent = Object.values(body?.errors ?? {})[0] ?? body?.message ?? '';
  if (ok) await submit();
  else input.focus();
});

// Examples with ids of the reader's records

/** Replaces example ids that the reader has not changed by ids of records that the reader may read. */
async function useOwnIds(user) {
  const response = await fetch(`${BASE}/docs/lists.json`);
  const { roles, lists } = await response.json();
  const fields = inputs.map((input) => ({ input, given: input.value || input.placeholder }));
  const bodyGiven = bodyField?.value;
  const operation = {
    parameters: fields.map(({ input, given }) => ({
      name: input.dataset.name,
      in: input.dataset.in,
      ...(given !== '' && { example: valueOf(given) ?? given }),
    })),
    ...(bodyField && {
      requestBody: { content: { 'application/json': { example: valueOf(bodyGiven) } } },
    }),
  };
  const paths = Object.fromEntries(Object.keys(lists).map((list) => [list, { get: {} }]));
  const own = BASE + path;
  paths[own] = { ...paths[own], [method.toLowerCase()]: operation };
  const ask = async (asked) => {
    if (!mayRead(user, asked.split('?')[0], { roles, lists, base: BASE })) return null;
    const { ok, body } = await callApi('GET', asked);
    return ok ? body : null;
  };
  await fillExamples({ paths }, ask, own);
  for (const [at, { input, given }] of fields.entries()) {
    const { example } = operation.parameters[at];
    const isText = typeof example === 'string';
    if (example === undefined || (input.value || input.placeholder) !== given) continue;
    const shown = isText ? example : JSON.stringify(example);
    if (input.value === '') input.placeholder = shown;
    else input.value = shown;
  }
  const filled = operation.requestBody?.content['application/json'].example;
  if (filled !== undefined && bodyField.value === bodyGiven)
    bodyField.value = JSON.stringify(filled, null, 2);
  return lists;
}

/** The id in examples for which no record was found. */
const PLACEHOLDER_ID = '00000000-0000-4000-8000-000000000000';

/** Names the path parameters that still need an id, with a list to take one from. */
function missingIds(lists) {
  const missing = inputs.filter(
    ({ dataset, value }) => dataset.in === 'path' && value === PLACEHOLDER_ID,
  );
  if (missing.length === 0) return '';
  const names = missing.map(({ dataset }) => dataset.name);
  const collection = path.slice(0, path.indexOf(`/{${names[0]}}`));
  const last = collection.slice(collection.lastIndexOf('/'));
  const list = Object.keys(lists).find((at) => at === BASE + collection || at.endsWith(`}${last}`));
  const source = list ? ` or enter an id from GET ${list.slice(BASE.length)}` : ' or enter its id';
  return ` No record was found for ${names.join(' and ')}: create one first,${source}.`;
}

async function takeReader(user) {
  reader = user;
  const note = $('.as', form);
  note.hidden = user === null;
  const lists = user ? await useOwnIds(user) : {};
  note.textContent = user ? `Sends as ${user.email}.${missingIds(lists)}` : '';
  document.body.dataset.examples = user ? 'own' : 'general';
  showCommands();
}

document.addEventListener('docs:user', ({ detail: user }) => void takeReader(user));
// The user may have been found before this script was loaded.
if (currentUser) void takeReader(currentUser);

// curl

const SESSION_FILE = '"$HOME/.loan-servicing-session"';
const TOKEN = `"X-CSRFToken: $(awk '$6 == "csrftoken" { print $7 }' ${SESSION_FILE})"`;
const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function showCommands() {
  const { url, headers } = readRequest();
  const needsSession = !(method === 'GET' && permission.allow === 'anyone');
  const isForm = Boolean(fileField);
  const fields = isForm ? otherFields() : [];
  const lines = [
    `curl -sS -i${method === 'GET' ? '' : ` -X ${method}`} ${quote(location.origin + url)}`,
    ...(needsSession ? [`-b ${SESSION_FILE} -c ${SESSION_FILE}`] : []),
    ...(method === 'GET' ? [] : [`-H ${TOKEN}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...fields.map(
      ([name, value]) =>
        `-F ${quote(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)}`,
    ),
    ...(isForm ? ["-F 'file=@FILE'"] : []),
    ...(bodyField && !isForm
      ? [`-H 'Content-Type: application/json'`, `-d ${quote(bodyField.value)}`]
      : []),
  ];
  $('.curl').textContent = lines.join(' \\\n  ');
  $('.curl-session').hidden = !needsSession;
  $('.curl-sign-in').textContent = signInCommand(reader?.email ?? 'YOUR-EMAIL');
  $('.commands').hidden = false;
}

/** In brackets, so that a shell reads all of it before the password. */
const signInCommand = (email) => `(
  umask 077
  url=${quote(location.origin + BASE)}
  printf 'Password: '; stty -echo 2>/dev/null; read -r password; stty echo 2>/dev/null; echo
  curl -sS -o /dev/null -c ${SESSION_FILE} "$url/auth/csrf"
  printf '{"email":"%s","password":"%s"}' ${quote(email)} "$(printf %s "$password" | sed 's/["\\\\]/\\\\&/g')" |
    curl -sS -b ${SESSION_FILE} -c ${SESSION_FILE} -H ${TOKEN} \\
      -H 'Content-Type: application/json' -d @- "$url/auth/login"
)`;

form.addEventListener('input', showCommands);
showCommands();
