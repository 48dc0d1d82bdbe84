/** A function that an element calls for an event, as a property of it: `onclick`. */
type Listener = (event: Event) => void;

/** Attributes by name; `key` identifies an element among its siblings, `value` is that of a control. */
type Attributes = Readonly<Record<string, string | boolean | null | undefined | Listener>>;

/** The description of an element. */
export interface ElementNode {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly Child[];
}

export type Child = ElementNode | string | null | false | undefined;

/** Describes an element. */
export function h(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): ElementNode {
  return { tag, attributes, children };
}

/** The description that an element was last changed to. */
const current = new WeakMap<Node, Attributes>();

/**
 * Changes the content of an element to a description. An element with the same tag and key stays and is updated, so that focus,
 * selection and scroll positions are kept. Texts become text nodes: nothing is read as markup.
 */
export function patch(parent: ParentNode & Node, children: readonly Child[]): void {
  const wanted = children.flatMap((child): (ElementNode | string)[] =>
    child === null || child === false || child === undefined || child === '' ? [] : [child],
  );
  const unused = [...parent.childNodes];
  const nodes = wanted.map((child) => {
    const index = unused.findIndex((node) => isSame(node, child));
    const [found] = index === -1 ? [] : unused.splice(index, 1);
    return typeof child === 'string' ? text(found, child) : element(found, child);
  });
  for (const node of unused) parent.removeChild(node);
  nodes.forEach((node, index) => {
    const there = parent.childNodes[index];
    // Moving an element would take the focus from it.
    if (there !== node) parent.insertBefore(node, there ?? null);
  });
}

function isSame(node: ChildNode, child: ElementNode | string): boolean {
  if (typeof child === 'string') return node.nodeType === Node.TEXT_NODE;
  return node.nodeName.toLowerCase() === child.tag && current.get(node)?.['key'] === child.attributes['key'];
}

function text(found: ChildNode | undefined, content: string): Node {
  if (found === undefined) return document.createTextNode(content);
  if (found.textContent !== content) found.textContent = content;
  return found;
}

function element(found: ChildNode | undefined, { tag, attributes, children }: ElementNode): Node {
  const node = found instanceof HTMLElement ? found : document.createElement(tag);
  const before = current.get(node) ?? {};
  current.set(node, attributes);
  for (const name of Object.keys(before)) if (!(name in attributes)) set(node, name, null);
  for (const [name, value] of Object.entries(attributes)) if (before[name] !== value) set(node, name, value);
  patch(node, children);
  const { value } = attributes;
  // After the options, of which it is one.
  if (typeof value === 'string' && 'value' in node && node.value !== value) node.value = value;
  return node;
}

function set(node: HTMLElement, name: string, value: Attributes[string]): void {
  if (name === 'key' || name === 'value') return;
  if (name === 'onclick') node.onclick = typeof value === 'function' ? value : null;
  else if (name === 'onchange') node.onchange = typeof value === 'function' ? value : null;
  else if (typeof value !== 'string' && value !== true) node.removeAttribute(name);
  else if (name !== 'href' || isSafeLink(value)) node.setAttribute(name, value === true ? '' : value);
  else node.removeAttribute(name);
}

/** Whether an address may be a link. Everything that is shown comes from strangers. */
export function isSafeLink(address: unknown): address is string {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  return ['https:', 'mailto:'].includes(new URL(address).protocol);
}
