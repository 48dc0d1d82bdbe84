/** A member of a `LinkedList`. */
export interface Linked<Item> {
  earlier: Item | undefined;
  later: Item | undefined;
}

/**
 * Items in the order in which they were added, linked by their own fields; each is in at most one list.
 *
 * For items that come and go with each request. A set would do, but V8 replaces the table of a set again and again, and each old
 * table keeps what it had and the next table alive once it has survived a collection or two. So every request would be kept until
 * the next complete collection, and the others would take three times as long.
 */
export class LinkedList<Item extends Linked<Item>> {
  #first: Item | undefined;
  #last: Item | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The item that was added before all others. */
  get first(): Item | undefined {
    return this.#first;
  }

  /** The items as they are now, so that the caller may delete some. */
  get items(): readonly Item[] {
    const items: Item[] = [];
    for (let item = this.#first; item !== undefined; item = item.later) items.push(item);
    return items;
  }

  add(item: Item): void {
    const last = this.#last;
    item.earlier = last;
    if (last === undefined) this.#first = item;
    else last.later = item;
    this.#last = item;
    this.#size += 1;
  }

  /** @param item must be in this list */
  delete(item: Item): void {
    const { earlier, later } = item;
    if (earlier === undefined) this.#first = later;
    else earlier.later = later;
    if (later === undefined) this.#last = earlier;
    else later.earlier = earlier;
    item.earlier = undefined;
    item.later = undefined;
    this.#size -= 1;
  }
}
