/* global SwaggerUIBundle, fillExamples, olderForm */
/**
 * Runs on the page of the docs, after the texts of fillExamples and olderForm. Requests tried out from there carry the
 * CSRF token as any client's do. Once somebody has signed in on it, the examples name records that
 * they may see.
 */
void (async () => {
  const plain = olderForm(await (await fetch('/api/v1/openapi.json')).json());
  const ask = async (path) => {
    const response = await fetch('/api/v1' + path);
    return response.ok ? response.json() : null;
  };
  const filled = async () => {
    const described = structuredClone(plain);
    if ((await ask('/users/me')) !== null) await fillExamples(described, ask);
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
