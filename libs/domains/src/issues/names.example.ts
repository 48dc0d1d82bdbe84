/** Names and values in the examples of issues. */
export const subdomain = 'docs.example.com';
export const apex = 'example.com';
export const targetHost = 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example';
export const resolver = '192.0.2.53:53';
export const checkedAt = '2026-11-02T09:10:00.000Z';
