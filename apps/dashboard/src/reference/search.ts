/** Connects the search field: results replace the contents while there is a query. */
export function connectSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#search');
  const results = document.getElementById('results');
  const contents = document.getElementById('contents');
  const list = document.getElementById('result-list');
  const count = document.getElementById('result-count');
  const menu = document.querySelector<HTMLDetailsElement>('.navigation');
  if (field === null || results === null || contents === null || list === null || count === null) return;

  let entries: readonly SearchEntry[] | null = null;
  const update = (): void => {
    entries ??= readEntries();
    const isSearching = field.value.trim() !== '';
    results.hidden = !isSearching;
    contents.hidden = isSearching;
    if (!isSearching) return;
    if (menu !== null) menu.open = true;
    const found = rankEntries(entries, field.value);
    list.replaceChildren(...found.map(resultOf));
    count.textContent = found.length === 1 ? '1 result' : `${found.length === 0 ? 'No' : found.length} results`;
  };
  field.addEventListener('input', update);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.querySelector('a')?.click();
    if (event.key !== 'Escape') return;
    field.value = '';
    update();
  });
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    const isShortcut = event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isShortcut || (isTyping && event.key === '/')) return;
    event.preventDefault();
    field.focus();
  });
}

/** Every part of the page that has a name of its own. */
function readEntries(): readonly SearchEntry[] {
  return [...document.querySelectorAll<HTMLElement>('[data-search]')].map((part) => ({
    id: part.id,
    title: part.dataset['search'] ?? '',
    detail: part.querySelector('.address')?.textContent ?? '',
    text: part.textContent,
  }));
}

function resultOf({ id, title, detail }: SearchEntry): HTMLLIElement {
  const link = document.createElement('a');
  link.href = `#${id}`;
  link.textContent = title;
  const item = document.createElement('li');
  const address = document.createElement('span');
  address.className = 'result-detail';
  address.textContent = detail;
  link.append(address);
  item.append(link);
  return item;
}

interface SearchEntry {
  readonly id: string;
  readonly title: string;
  /** The address of an operation; empty for others. */
  readonly detail: string;
  readonly text: string;
}

const MAX_RESULTS = 30;

/** The entries that contain every word of the query: first by title, then by id or address, then by text. */
export function rankEntries(entries: readonly SearchEntry[], query: string): readonly SearchEntry[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
}

/** The first of title, address and complete text that contains every word; null where none does. */
function rankOf({ id, title, detail, text }: SearchEntry, words: readonly string[]): number | null {
  const places = [title, `${title} ${id} ${detail}`, `${title} ${id} ${detail} ${text}`];
  const rank = places.findIndex((place) => words.every((word) => place.toLowerCase().includes(word)));
  return rank === -1 ? null : rank;
}
