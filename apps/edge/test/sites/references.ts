/** Addresses in a page, a style sheet or a sitemap, as a browser or a search engine finds them. */

type Use = 'link' | 'script' | 'style' | 'other';

export interface Reference {
  readonly url: URL;
  /** Use by a browser, which the media type must fit: answers are sent with `nosniff`. */
  readonly use: Use;
}

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Text of a script or a style. */
  readonly text: string;
}

const tagStart = /[a-z][a-z0-9:-]*/iy;
const attribute = /[\s/]*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/y;
const NO_VISIT = new Set(['preconnect', 'dns-prefetch']);

/** @param location the address of the page, after redirects */
export function referencesOfPage(html: string, location: URL): readonly Reference[] {
  const tags = readTags(html);
  const base = tags.find(({ name, attributes }) => name === 'base' && attributes.has('href'));
  const from = new URL(base?.attributes.get('href') ?? '', location);
  return tags.filter((tag) => tag !== base).flatMap((tag) => referencesOfTag(tag, from));
}

export function referencesOfStyle(css: string, location: URL): readonly Reference[] {
  const urls = css.matchAll(/url\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"'()]+))/gi);
  const imports = css.matchAll(/@import\s*(?:"([^"]*)"|'([^']*)')/gi);
  const named = (matches: Iterable<RegExpExecArray>, use: Use) =>
    [...matches].flatMap((found) => resolve(found.slice(1).find((text) => text !== undefined) ?? '', location, use));
  return [...named(urls, 'other'), ...named(imports, 'style')];
}

export function referencesOfSitemap(xml: string, location: URL): readonly Reference[] {
  return [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].flatMap(([, text = '']) => resolve(decode(text), location, 'link'));
}

function referencesOfTag({ name, attributes, text }: Tag, from: URL): readonly Reference[] {
  const valueOf = (key: string) => attributes.get(key) ?? '';
  const relations = valueOf('rel').toLowerCase().split(/\s+/);
  if (name === 'link' && relations.some((relation) => NO_VISIT.has(relation))) return [];
  const refresh = /^\s*\d+\s*;\s*url=(.*)$/i.exec(valueOf('content'))?.[1];
  const isScript = name === 'script' || relations.includes('modulepreload') || valueOf('as') === 'script';
  const isStyle = name === 'link' && (relations.includes('stylesheet') || valueOf('as') === 'style');
  const use = isScript ? 'script' : isStyle ? 'style' : name === 'a' ? 'link' : 'other';
  return [
    ...['href', 'xlink:href', 'src', 'poster', 'data']
      .filter((key) => attributes.has(key))
      .flatMap((key) => resolve(valueOf(key), from, use)),
    ...['srcset', 'imagesrcset']
      .flatMap((key) => valueOf(key).split(/,\s+/))
      .flatMap((candidate) => resolve(candidate.trim().split(/\s/, 1)[0] ?? '', from, 'other')),
    ...(name === 'meta' && refresh !== undefined ? resolve(refresh.replaceAll(/['"]/g, ''), from, 'link') : []),
    ...referencesOfStyle(name === 'style' ? text : valueOf('style'), from),
  ];
}

/** @returns nothing for a place on the same page, an address of another kind such as `mailto:`, and none */
function resolve(text: string, from: URL, use: Use): readonly Reference[] {
  const address = text.trim();
  if (address === '' || address.startsWith('#') || !URL.canParse(address, from.href)) return [];
  const url = new URL(address, from);
  url.hash = '';
  return ['http:', 'https:'].includes(url.protocol) ? [{ url, use }] : [];
}

function readTags(html: string): readonly Tag[] {
  const tags: Tag[] = [];
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      at = endOf(html, '-->', at);
      continue;
    }
    tagStart.lastIndex = at + 1;
    const name = tagStart.exec(html)?.[0].toLowerCase();
    if (name === undefined) {
      at++;
      continue;
    }
    const attributes = new Map<string, string>();
    at = readAttributes(html, tagStart.lastIndex, attributes);
    const start = html.indexOf('>', at) + 1;
    if (start === 0) break;
    const end = ['script', 'style', 'textarea'].includes(name) ? indexOrEnd(html, `</${name}`, start) : start;
    tags.push({ name, attributes, text: html.slice(start, end) });
    at = end;
  }
  return tags;
}

/** @returns where the attributes end */
function readAttributes(html: string, start: number, attributes: Map<string, string>): number {
  let end = start;
  for (;;) {
    attribute.lastIndex = end;
    const found = attribute.exec(html);
    if (found === null) return end;
    const [, key = '', ...values] = found;
    attributes.set(key.toLowerCase(), decode(values.find((value) => value !== undefined) ?? ''));
    end = attribute.lastIndex;
  }
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index === -1 ? text.length : index;
}

function endOf(text: string, part: string, from: number): number {
  return indexOrEnd(text, part, from) + part.length;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,4});/gi, (entity, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? entity;
    const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1));
    return String.fromCodePoint(code);
  });
}
