export interface SearchEntry {
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
