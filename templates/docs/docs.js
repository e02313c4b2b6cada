/* global findNearestWord */
/**
 * The script of all documentation pages: search, sign-in and copy buttons. The pages can be read without
 * it.
 */
const BASE = '/api/v1';
const $ = (selector, within = document) => within.querySelector(selector);
const make = (tag, properties = {}) => Object.assign(document.createElement(tag), properties);

// Search

const RESULTS_MAX = 30;
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
/** A plural finds the singular, and the other way round. */
const stemOf = (word) => (word.length > 3 ? word.replace(/s$/, '') : word);

/** Words that say nothing about what the reader looks for. */
const FILLERS = new Set(['a', 'an', 'the', 'of', 'for', 's']);

const meaningfulWords = (text) => {
  const words = wordsOf(text);
  const meaningful = words.filter((word) => !FILLERS.has(word));
  return meaningful.length > 0 ? meaningful : words;
};

/** Words that readers may use, with the words that these pages use instead. */
const SYNONYMS = new Map(
  Object.entries({
    '2fa': ['second factor'],
    arrear: ['past due', 'delinquency'],
    bill: ['statement'],
    bounced: ['returned'],
    callback: ['webhook'],
    check: ['payment'],
    cheque: ['payment'],
    client: ['borrower'],
    customer: ['borrower'],
    debit: ['autopay', 'ach'],
    eod: ['close of business'],
    extension: ['deferment'],
    gl: ['ledger'],
    grant: ['permission'],
    import: ['board'],
    invoice: ['statement'],
    login: ['sign in'],
    mfa: ['second factor'],
    migration: ['moving', 'board'],
    nsf: ['returned', 'insufficient funds'],
    sso: ['single sign-on'],
    token: ['csrf'],
  }),
);

/** The word first, then words with the same meaning. */
const alternativesOf = (word) => [word, ...(SYNONYMS.get(word) ?? [])];

/** How well a word matches an entry: 10 in its title, 4 in its path, 1 in its text, otherwise 0. */
function scoreOfWord(entry, word) {
  if (entry.titleWords.some((known) => known.startsWith(word))) return 10;
  if (entry.titleText.includes(word) && word.includes(' ')) return 10;
  if (entry.atText.includes(word)) return 4;
  return entry.text.includes(word) ? 1 : 0;
}

/**
 * Higher is better, 0 is no match. Every word or a synonym must occur. Short titles that the words cover come
 * first, and guides before operations. `asked` is the whole query, which may be a path or an operation id.
 */
function scoreOf(entry, words, asked) {
  let score = 0;
  let covered = 0;
  for (const word of words) {
    const scores = alternativesOf(word).map((each, at) => scoreOfWord(entry, each) / (at + 1));
    const best = Math.max(...scores);
    if (best === 0) return 0;
    score += best;
    if (best >= 5) covered += 1;
  }
  if (entry.atText.endsWith(` ${asked}`) || entry.text.startsWith(`${asked} `)) score += 20;
  return score + (5 * covered) / entry.titleWords.length + (entry.method === undefined ? 2 : 0);
}

function startSearch(form) {
  const input = $('input', form);
  const box = $('.results', form);
  const list = $('ol', box);
  let entries;
  let latest = 0;

  async function load() {
    const response = await fetch(`${BASE}/docs/search.json`);
    const found = await response.json();
    return found.map((entry) => ({
      ...entry,
      text: entry.text.toLowerCase(),
      atText: entry.at.toLowerCase(),
      titleText: entry.title.toLowerCase(),
      titleWords: meaningfulWords(entry.title),
    }));
  }

  async function search() {
    const turn = (latest += 1);
    const asked = input.value.trim().toLowerCase();
    const words = meaningfulWords(asked).map(stemOf);
    box.hidden = words.length === 0;
    if (words.length === 0) return;
    entries ??= load();
    const all = await entries.catch(() => (entries = undefined));
    if (turn !== latest) return;
    if (all === undefined) {
      $('p', box).textContent = 'The search is not available. Check your connection.';
      return;
    }
    const exact = rank(all, words, asked);
    const guessed = exact.length > 0 ? words : words.map((word) => spellingOf(word, all));
    const found = exact.length > 0 ? exact : rank(all, guessed, guessed.join(' '));
    $('p', box).textContent = summaryOf(found, guessed === words ? null : guessed);
    list.replaceChildren(...found.slice(0, RESULTS_MAX).map(({ entry }) => resultOf(entry)));
  }

  const rank = (all, words, asked) =>
    all
      .map((entry) => ({ entry, score: scoreOf(entry, words, asked) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score);

  /** The word itself if any entry contains it, otherwise the most similar word of a title. */
  function spellingOf(word, all) {
    if (all.some((entry) => alternativesOf(word).some((each) => scoreOfWord(entry, each) > 0)))
      return word;
    return findNearestWord(word, [...new Set(all.flatMap(({ titleWords }) => titleWords))]) ?? word;
  }

  function summaryOf({ length: count }, guessed) {
    if (count === 0) return 'Nothing found. Try fewer or other words.';
    const shown = count > RESULTS_MAX ? `, the best ${RESULTS_MAX} are shown` : '';
    return `${count} found${guessed ? ` for “${guessed.join(' ')}”` : ''}${shown}`;
  }

  function resultOf({ title, at, url }) {
    const link = make('a', { href: url });
    link.append(make('span', { textContent: title }), make('small', { textContent: at }));
    const item = make('li');
    item.append(link);
    return item;
  }

  function move(step) {
    const stops = [input, ...list.querySelectorAll('a')];
    const next = stops[stops.indexOf(document.activeElement) + step];
    next?.focus();
  }

  form.hidden = false;
  input.addEventListener('input', () => void search());
  input.addEventListener('focus', () => void search());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    $('a', list)?.click();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      box.hidden = true;
      input.focus();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  });
  // A link to another section of this page does not reload it.
  list.addEventListener('click', () => (box.hidden = true));
  document.addEventListener('click', (event) => {
    if (!form.contains(event.target)) box.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
}

// Sign-in

/** Remembers that somebody signed in here, so that pages do not ask for a user without reason. */
const SIGNED_IN = 'docs signed in';

/** The signed-in user, as far as this page knows. The script of an operation's page reads it too. */
// oxlint-disable-next-line no-unused-vars -- other scripts of the page read it
let currentUser = null;

const csrfToken = () => /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? '';

/** Calls an endpoint in the reader's name. Returns the status and the parsed body. */
async function callApi(method, path, body) {
  const response = await fetch(BASE + path, {
    method,
    headers: {
      ...(method !== 'GET' && { 'X-CSRFToken': csrfToken() }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { ok: response.ok, status: response.status, body: text === '' ? null : JSON.parse(text) };
}

function startAccount(account) {
  const details = $('details', account);
  const summary = $('summary', account);
  const [password, code, leave] = ['.password', '.code', '.leave'].map((at) => $(at, account));

  function show(user) {
    currentUser = user;
    if (user) localStorage.setItem(SIGNED_IN, 'yes');
    else localStorage.removeItem(SIGNED_IN);
    summary.textContent = user ? user.email : 'Sign in';
    $('.who', leave).textContent = user ? `${user.email} (${user.tenant_role ?? 'borrower'})` : '';
    showForm(user ? leave : password);
    document.dispatchEvent(new CustomEvent('docs:user', { detail: user }));
  }

  function showForm(shown) {
    for (const form of [password, code, leave]) form.hidden = form !== shown;
  }

  /** Shows the error of an answer in the form, or the form for the next step. */
  function takeAnswer(form, { ok, body }) {
    const error = $('.error', form);
    error.hidden = ok;
    if (!ok) {
      error.textContent = body?.message ?? 'The server did not answer. Try again.';
      if (body?.code === 'sign_in_expired') showForm(password);
      return;
    }
    form.reset();
    const { second_factor: wanted } = body;
    if (wanted === undefined) {
      details.open = false;
      summary.focus();
      return show(body);
    }
    const hasCode = wanted.methods.some((method) => method !== 'passkey');
    if (hasCode && !wanted.must_enroll) {
      showForm(code);
      return $('input', code).focus();
    }
    error.hidden = false;
    error.replaceChildren(
      wanted.must_enroll
        ? 'Two-step verification is required. Set it up on the '
        : 'Sign in with your passkey on the ',
      make('a', { href: '/staff/sign-in', textContent: 'staff pages' }),
      `, then return from there.`,
    );
  }

  const onSubmit = (form, send) =>
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const button = $('button', form);
      button.disabled = true;
      const answer = await send(Object.fromEntries(new FormData(form))).catch(() => ({
        ok: false,
        body: null,
      }));
      button.disabled = false;
      if (form !== leave) takeAnswer(form, answer);
      else if (answer.ok) show(null);
    });
  onSubmit(password, async (values) => {
    await callApi('GET', '/auth/csrf');
    return callApi('POST', '/auth/login', values);
  });
  onSubmit(code, ({ code: typed }) => {
    const digits = typed.replaceAll(' ', '');
    const proof = /^\d{6}$/.test(digits) ? { code: digits } : { recovery_code: typed.trim() };
    return callApi('POST', '/auth/second-factor', proof);
  });
  onSubmit(leave, () => callApi('POST', '/auth/logout'));

  async function look() {
    const { ok, body } = await callApi('GET', '/users/me').catch(() => ({ ok: false }));
    show(ok ? body : null);
  }

  account.hidden = false;
  details.addEventListener('toggle', () => {
    if (details.open) $('form:not([hidden]) :is(input, button)', details).focus();
  });
  account.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    details.open = false;
    summary.focus();
  });
  // Another tab signed in or out.
  window.addEventListener('storage', ({ key }) => {
    if (key === SIGNED_IN) void look();
  });
  // The staff pages lead to #signed-in.
  if (localStorage.getItem(SIGNED_IN) || location.hash === '#signed-in') void look();
}

// Copy buttons

/** The clipboard API exists only on HTTPS and localhost. */
async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = make('textarea', { value: text });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

function addCopyButton(figure) {
  const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    await copyText($('pre', figure).textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 2_000);
  });
  figure.append(button);
}

/** Shows the current page in a long list of pages. */
function showCurrentPage(aside) {
  const current = $('[aria-current=page]', aside);
  if (current) aside.scrollTop = current.offsetTop - aside.clientHeight / 2;
}

/** The guides are written for a platform at its default address. Other tenants of it have names before `localhost`. */
const GUIDE_ADDRESS = 'http://localhost:3000';
const GUIDE_HOST = '.localhost:3000';
const isLocal = /(^|\.)localhost$/.test(location.hostname);
const useOwnAddress = (code) => {
  const text = code.textContent;
  const adapted = text.replaceAll(GUIDE_ADDRESS, location.origin);
  const own = isLocal
    ? adapted.replaceAll(GUIDE_HOST, `.localhost${location.port && `:${location.port}`}`)
    : adapted;
  if (own !== text) code.textContent = own;
};

startSearch($('.search'));
document.querySelectorAll('.text code').forEach(useOwnAddress);
startAccount($('.account'));
document.querySelectorAll('figure.code').forEach(addCopyButton);
document.querySelectorAll('.aside').forEach(showCurrentPage);
