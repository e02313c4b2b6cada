// Updates the parts marked data-live as the server changes. Without this script, reload the page.
const shown = document.querySelector('[data-stream]');
if (shown) {
  const source = new EventSource(shown.dataset.stream);
  const state = document.getElementById('live-state');
  const say = (text) => {
    if (state) state.textContent = text;
  };
  source.addEventListener('open', () => say('Updating live.'));
  source.addEventListener('error', () => {
    // A browser does not connect again after a refusal.
    const isRefused = source.readyState === EventSource.CLOSED;
    say(isRefused ? 'Not updating. Reload the page.' : 'Reconnecting …');
  });
  source.addEventListener('message', ({ data }) => {
    const fresh = new DOMParser().parseFromString(JSON.parse(data), 'text/html');
    for (const part of document.querySelectorAll('[data-live]')) {
      const now = fresh.getElementById(part.id);
      if (now && now.innerHTML !== part.innerHTML) part.innerHTML = now.innerHTML;
    }
    say('Updating live.');
  });
}
