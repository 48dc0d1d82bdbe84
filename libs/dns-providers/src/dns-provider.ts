/** A field of the form in which a provider takes a record. */
export type FieldKey = 'type' | 'name' | 'value' | 'ttl';

/** The label of a field; by record type where it depends on that. */
export type FieldLabel = string | (Readonly<Record<string, string>> & { readonly other: string });

/** A company that hosts zones: how its form takes records, in its own words, and what it does to them. */
export interface DnsProvider {
  readonly id: string;
  readonly label: string;
  /** The name servers: a domain that they are below, or a pattern. */
  readonly nameServers: readonly (string | RegExp)[];
  /** How to reach the form, as a sentence; null where only the name servers are known. */
  readonly navigation: string | null;
  /** Page of the zones of the customer. */
  readonly link: string | null;
  /** The fields of the form, in its order. */
  readonly fields: readonly (readonly [key: FieldKey, label: FieldLabel])[];
  /** The entry that means the zone itself. */
  readonly apexName: '@' | '';
  /** The record type that points an apex to a host name; null when there is none. */
  readonly apexType: 'ALIAS' | 'ANAME' | 'CNAME' | 'ALIAS or ANAME' | null;
  /** Whether it appends the zone to a host name without a final dot. */
  readonly appendsZone: boolean;
  /** Whether a record can lead through its proxy, which hides the target. */
  readonly proxies: boolean;
  /** Whether it answers with the addresses of a CNAME instead of the CNAME. */
  readonly flattens: boolean;
  /** Whether it adds TXT records that its form does not show. */
  readonly hidesTxt: boolean;
  /** Whether one record takes several values. Otherwise each value is a record. */
  readonly groupsValues: boolean;
  /** Whether the flags and the tag of a CAA record are entered as a part of its value. */
  readonly joinsCaa: boolean;
  /** A common mistake. */
  readonly caution: string | null;
  /** Day on which all this was last compared with the pages of the provider; null where it was not. */
  readonly lookedAt: string | null;
}
