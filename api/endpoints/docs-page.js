/* global SwaggerUIBundle, fillExamples, toOpenApi30 */
/**
 * Runs on the page of the docs, after the texts of fillExamples and toOpenApi30. Requests tried out from there carry the
 * CSRF token as any client's do. Once somebody has signed in on it, the examples name records that
 * they may see.
 */
void (async () => {
  const plain = toOpenApi30(await (await fetch('/api/v1/openapi.json')).json());
  const ask = async (path) => {
    const response = await fetch('/api/v1' + path);
    return response.ok ? response.json() : null;
  };
  /** Whether the operation is open to this user: a request that is refused would be kept in the security log. */
  const isOpenTo = (me, { allow, action, resource }) => {
    if (allow === 'any' || allow === 'anyone') return true;
    if (me.borrower_id !== null) return allow === 'borrower';
    const is = (given, wanted) => given === '*' || given === wanted;
    const rules = me.permissions.filter(
      (rule) => !rule.record && is(rule.action, action) && is(rule.resource, resource),
    );
    const isDenied = rules.some(({ type }) => type === 'deny');
    return allow !== 'borrower' && rules.length > 0 && !isDenied;
  };
  const askAs = (me) => {
    const open = Object.entries(plain.paths)
      .filter(([, operations]) => operations.get && isOpenTo(me, operations.get['x-permission']))
      .map(([path]) => new RegExp(`^${path.replace(/{[^}]*}/g, '[^/]+')}$`));
    return async (path) =>
      open.some((pattern) => pattern.test(`/api/v1${path.split('?')[0]}`)) ? ask(path) : null;
  };
  const filled = async () => {
    const described = structuredClone(plain);
    const me = await ask('/users/me');
    if (me !== null) await fillExamples(described, askAs(me));
    else sessionStorage.removeItem('signed in');
    return described;
  };
  const refill = async () => {
    page.specActions.updateJsonSpec(await filled());
    document.body.dataset.examples = 'real';
  };
  const page = SwaggerUIBundle({
    spec: sessionStorage.getItem('signed in') ? await filled() : plain,
    dom_id: '#api',
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    requestInterceptor: (request) => {
      const token = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie);
      if (token) request.headers['X-CSRFToken'] = token[1];
      return request;
    },
    responseInterceptor: (response) => {
      if (response.ok && response.url.endsWith('/auth/login')) {
        sessionStorage.setItem('signed in', 'here');
        void refill();
      }
      return response;
    },
  });
})();
