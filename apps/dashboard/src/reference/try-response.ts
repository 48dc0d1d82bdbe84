/** More of a body would make the page slow. */
const MAX_SHOWN_CHARACTERS = 100_000;

/** Headers that matter to a reader; others are the same in every response. */
const shownHeaders = ['location', 'link', 'retry-after', 'ratelimit', 'etag', 'idempotent-replayed', 'x-request-id'];

/** Status, time, headers and body of a response, as elements. */
export async function showResponse(response: Response, durationMs: number): Promise<readonly HTMLElement[]> {
  const text = await response.text();
  const status = document.createElement('p');
  status.className = response.ok ? 'status status-good' : 'status status-bad';
  status.textContent = `${response.status} ${response.statusText} in ${Math.round(durationMs)} ms`;
  const headers = shownHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  return [status, block(headers.join('\n')), ...(text === '' ? [] : [block(formatBody(text))])];
}

function block(text: string): HTMLPreElement {
  const pre = document.createElement('pre');
  pre.tabIndex = 0; // it scrolls
  pre.textContent = text;
  return pre;
}

/** Indented JSON with all digits of each integer; other texts as they are. */
function formatBody(text: string): string {
  const shown = formatJson(text);
  return shown.length <= MAX_SHOWN_CHARACTERS ? shown : `${shown.slice(0, MAX_SHOWN_CHARACTERS)}\n… cut here`;
}

function formatJson(text: string): string {
  if (!('rawJSON' in JSON)) return text; // an older browser would round large integers
  try {
    const exact: unknown = JSON.parse(text, (_name: string, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value,
    );
    return JSON.stringify(exact, null, 2);
  } catch {
    return text;
  }
}
