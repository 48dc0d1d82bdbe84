import { listOperations, type OpenApiDocument, type Operation, type Parameter } from './openapi.js';
import { jsonBodyOf } from './samples.js';

const TIMEOUT_MS = 30_000;

/** Only in the memory of this page: a reload forgets it. */
let apiKey = '';

/** Connects the buttons that open a form for a real request to this server. */
export function connectRequests(): void {
  let operations: Promise<readonly Operation[]> | null = null;
  const load = async (): Promise<readonly Operation[]> => {
    const response = await fetch('/openapi.json', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return listOperations((await response.json()) as OpenApiDocument); // of the same server and build
  };
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-try]')) {
    button.addEventListener('click', () => {
      operations ??= load();
      operations.then(
        (all) => {
          const operation = all.find(({ operationId }) => operationId === button.dataset['try']);
          if (operation === undefined) return;
          const form = createForm(operation);
          button.replaceWith(form);
          form.querySelector<HTMLElement>('input, textarea, button')?.focus();
        },
        () => {
          operations = null;
          button.textContent = 'The description could not be loaded. Try again';
        },
      );
    });
  }
}

function createForm(operation: Operation): HTMLFormElement {
  const form = document.createElement('form');
  form.className = 'try-form';
  form.setAttribute('aria-label', `Request: ${operation.summary}`);
  const key = createInput('password');
  key.autocomplete = 'off';
  key.value = apiKey;
  key.required = true;
  form.append(labelled('API key', key, 'Kept in the memory of this page only.'));
  const inputs = new Map(operation.parameters.map((parameter) => [parameter, createParameter(parameter)]));
  for (const [{ name, required }, input] of inputs)
    form.append(labelled(name, input, required === true ? '' : 'Optional.'));
  const body = createBody(operation);
  if (body !== null) form.append(labelled('Body', body.input, body.mediaType));
  const send = document.createElement('button');
  send.className = 'try';
  send.textContent = `Send ${operation.method.toUpperCase()}`;
  const note = element('p', 'facts', 'The request is real: it reads or changes the organization of the key.');
  const output = element('div', 'try-output', '');
  output.setAttribute('aria-live', 'polite');
  form.append(note, send, output);

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    apiKey = key.value.trim();
    for (const other of document.querySelectorAll<HTMLInputElement>('.try-form input[type=password]'))
      other.value = apiKey;
    const { path, init } = requestOf(operation, {
      apiKey,
      valueOf: (parameter) => inputs.get(parameter)?.value ?? '',
      body: body?.read() ?? null,
      mediaType: body?.mediaType ?? null,
    });
    send.disabled = true;
    output.replaceChildren('Sending…');
    const begun = performance.now();
    fetch(path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
      .then(async (response) => output.replaceChildren(...(await showResponse(response, performance.now() - begun))))
      .catch(() => output.replaceChildren('The server did not answer.'))
      .finally(() => (send.disabled = false));
  });
  return form;
}

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function createParameter({ name, schema, required, example }: Parameter): Input {
  const values = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : null);
  if (values !== null) return createSelect(values, required === true);
  const input = createInput('text');
  input.required = required === true;
  input.placeholder = schema.type === 'object' ? 'key=value' : example === undefined ? '' : String(example);
  input.autocomplete = 'off';
  input.name = name;
  return input;
}

function createSelect(values: readonly (string | number)[], isRequired: boolean): HTMLSelectElement {
  const select = document.createElement('select');
  select.required = isRequired;
  for (const value of ['', ...values]) select.append(new Option(String(value)));
  return select;
}

interface Body {
  readonly input: HTMLTextAreaElement | HTMLInputElement;
  readonly mediaType: string;
  readonly read: () => string | Blob | null;
}

/** A text with the example for JSON, a file for uploads; null for an operation without a body. */
function createBody(operation: Operation): Body | null {
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {});
  if (mediaType === undefined) return null;
  if (mediaType !== 'application/json') {
    const input = createInput('file');
    input.required = true;
    return { input, mediaType, read: () => input.files?.[0] ?? null };
  }
  const input = document.createElement('textarea');
  input.value = JSON.stringify(jsonBodyOf(operation) ?? {}, null, 2);
  input.rows = Math.min(16, input.value.split('\n').length + 1);
  input.spellcheck = false;
  return { input, mediaType, read: () => input.value };
}

function createInput(type: 'text' | 'password' | 'file'): HTMLInputElement {
  const input = document.createElement('input');
  input.type = type;
  return input;
}

function labelled(name: string, input: Input, hint: string): HTMLLabelElement {
  const label = document.createElement('label');
  label.append(element('span', 'label', name), ...(hint === '' ? [] : [element('span', 'facts', hint)]), input);
  return label;
}

function element(tag: 'p' | 'span' | 'div', className: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** Values that a reader entered. A field that was left empty is not sent. */
interface Entered {
  readonly apiKey: string;
  readonly valueOf: (parameter: Parameter) => string;
  readonly body: string | Blob | null;
  readonly mediaType: string | null;
}

interface TryRequest {
  readonly path: string;
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string | Blob };
}

/** The request that the entered values make. */
export function requestOf(operation: Operation, { apiKey, valueOf, body, mediaType }: Entered): TryRequest {
  const headers: Record<string, string> = { accept: 'application/json', authorization: `Bearer ${apiKey}` };
  const query = new URLSearchParams();
  let path = operation.path;
  for (const parameter of operation.parameters) {
    const value = valueOf(parameter).trim();
    if (value === '') continue;
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (parameter.in === 'header') headers[parameter.name] = value;
    else query.append(...queryEntry(parameter, value));
  }
  if (mediaType !== null) headers['content-type'] = mediaType;
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return {
    path: path + search,
    init: { method: operation.method.toUpperCase(), headers, ...(body !== null && { body }) },
  };
}

/** `tier=gold` of the parameter `metadata` is sent as `metadata[tier]=gold`. */
function queryEntry({ name, schema }: Parameter, value: string): [string, string] {
  if (schema.type !== 'object') return [name, value];
  const [key = '', ...rest] = value.split('=');
  return [`${name}[${key}]`, rest.join('=')];
}

/** More of a body would make the page slow. */
const MAX_SHOWN_CHARACTERS = 100_000;

/** Headers that matter to a reader; others are the same in every response. */
const shownHeaders = ['location', 'link', 'retry-after', 'ratelimit', 'etag', 'idempotent-replayed', 'x-request-id'];

/** Status, time, headers and body of a response, as elements. */
async function showResponse(response: Response, durationMs: number): Promise<readonly HTMLElement[]> {
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
